"""Kernels of register tiles end in jumps.

Each step of a chain calls the next one as its last act. g++ turns that into a jump where the frame
is gone by then, and silently into a call where it is not: the stack would grow by a frame a step,
and the registers would pass through memory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from repo.tree import build_tree, missing, object_files

LEVELS = ("v2", "v3", "v4")
FUNCTION = re.compile(r"^[0-9a-f]+ <(\S+)>:$", re.M)
INDIRECT = re.compile(r"\s(call|jmp)q?\s+\*")
KERNEL = re.compile(r"tile_(lanes|whole)")


def assembly(path: Path) -> str:
    objdump = shutil.which("objdump")
    if objdump is None:
        missing("objdump is not installed")
    run = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True
    )
    return run.stdout


def kernels(text: str) -> dict[str, list[str]]:
    """Indirect calls and jumps of every tile kernel in a disassembly."""
    starts = list(FUNCTION.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return {
        start.group(1): INDIRECT.findall(text[start.end() : end])
        for start, end in zip(starts, ends, strict=True)
        if KERNEL.search(start.group(1))
    }


def test_tile_kernels_end_in_jumps() -> None:
    tree = build_tree()
    if "\nCMAKE_BUILD_TYPE:STRING=Release\n" not in (tree / "CMakeCache.txt").read_text():
        missing(f"{tree.name} is no release build")
    units = [
        path
        for level in LEVELS
        for path in object_files(tree, f"hs_simd_{level}")
        if "tile" in path.name and path.exists()
    ]
    if not units:
        missing(f"{tree.name} has no compiled kernel units")
    found = {path: kernels(assembly(path)) for path in units}
    assert sum(map(len, found.values())) > 100
    wrong = [
        (path.name, kernel)
        for path, of_unit in found.items()
        for kernel, transfers in of_unit.items()
        if "call" in transfers or "jmp" not in transfers
    ]
    assert wrong == []


def test_a_call_is_noticed() -> None:
    text = """
0000000000000000 <_ZN7hassium2v410tile_lanesI1AEEvv>:
   0:	vaddpd (%rax),%zmm0,%zmm0
   6:	jmp    *%rdx

0000000000000010 <_ZN7hassium2v410tile_wholeI1BEEvv>:
  10:	call   *0x30(%rdi)
  13:	ret

0000000000000020 <_ZN7hassium2v48tile_runEv>:
  20:	call   *%rax
"""
    assert list(kernels(text).values()) == [["jmp"], ["call"]]
