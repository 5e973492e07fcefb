"""What the object files of kernel units may define.

The linker keeps one copy of an inline function that several units emit. If a unit compiled for
wide vectors emitted one that other code calls as well, that copy could be kept, and processors
without those instructions would fail. So all code that a unit defines carries its level's
namespace. Constant data may be shared: it holds no instructions and is the same at every level.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from repo.tree import build_tree, missing, object_files

# Of loops over memory and of register tiles, whose stack is aligned in another way: they share no
# functions either.
NAMESPACES = [level + kind for level in ("v2", "v3", "v4", "neon") for kind in ("", "_tiles")]
# Code that the linker can see: global, weak, indirect. Data has other letters (V and u among them).
CODE = re.compile(r"^[0-9a-f]+ [TWi] (\S+)$", re.M)


def code_symbols(path: Path) -> list[str]:
    nm = shutil.which("nm")
    if nm is None:
        missing("nm is not installed")
    run = subprocess.run(
        [nm, "--defined-only", str(path)], capture_output=True, text=True, check=True
    )
    return CODE.findall(run.stdout)


def strangers(symbols: list[str], namespace: str) -> list[str]:
    """Symbols that do not name hassium::<namespace>, neither as scope nor as an argument."""
    own = f"7hassium{len(namespace)}{namespace}"
    return [symbol for symbol in symbols if own not in symbol]


def test_units_define_nothing_outside_their_namespace() -> None:
    tree = build_tree()
    units = [(of, path) for of in NAMESPACES for path in object_files(tree, f"hs_simd_{of}")]
    built = [(of, path) for of, path in units if path.exists()]
    if not built:
        missing(f"{tree.name} has no compiled kernel units")
    found = {
        (of, path.name, symbol)
        for of, path in built
        for symbol in strangers(code_symbols(path), of)
    }
    assert found == set()


def test_a_leak_is_noticed() -> None:
    inside = "_ZN7hassium2v37kernelsEv"
    argument = "_ZN5xsimd5applyIN7hassium2v33AddEEEvT_"
    outside = "_ZSt3maxIdET_S0_S0_"
    assert strangers([inside, argument, outside], "v3") == [outside]
    assert strangers([inside], "v4") == [inside]
    assert strangers([inside], "v3_tiles") == [inside]
    assert CODE.findall(f"0000000000000010 W {outside}\n0000000000000020 V _ZTV1A\n") == [outside]
