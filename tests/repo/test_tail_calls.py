"""Kernels of register tiles end in jumps, and find the stack aligned.

Each step of a chain calls the next one as its last act. g++ turns that into a jump where the frame
is gone by then, and silently into a call where it is not: the stack would grow by a frame a step,
and the registers would pass through memory. Nor does a kernel align the stack for itself
(docs/decisions/0016-kernels-find-the-stack-aligned.md).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from repo.tree import build_tree, missing, object_files

LEVELS = ("v2", "v3", "v4")
FUNCTION = re.compile(r"^[0-9a-f]+ <(\S+)>:$", re.M)
INDIRECT = re.compile(r"\s(call|jmp)q?\s+\*")
# Not the function that takes registers one by one and calls for each.
KERNEL = re.compile(r"\dtile_(lanes|whole|math)I")
ENTRY = re.compile(r"^_ZN7hassium8v\d_tiles\d+(tile_run|fill_tile_table)E")
ALIGNS = re.compile(r"\sand\s+\$0xf+[c-f]0,%rsp")


def assembly(path: Path) -> str:
    objdump = shutil.which("objdump")
    if objdump is None:
        missing("objdump is not installed")
    run = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True
    )
    return run.stdout


def functions(text: str, named: re.Pattern[str]) -> dict[str, str]:
    """The instructions of every function of such a name in a disassembly."""
    starts = list(FUNCTION.finditer(text))
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return {
        start.group(1): text[start.end() : end]
        for start, end in zip(starts, ends, strict=True)
        if named.search(start.group(1))
    }


def transfers(code: str) -> list[str]:
    """Indirect calls and jumps."""
    return INDIRECT.findall(code)


@pytest.fixture(scope="module")
def compiled() -> dict[tuple[str, str], str]:
    """The instructions of all kernels of a release build, by unit and name."""
    tree = build_tree()
    if "\nCMAKE_BUILD_TYPE:STRING=Release\n" not in (tree / "CMakeCache.txt").read_text():
        missing(f"{tree.name} is no release build")
    units = [
        path
        for level in LEVELS
        for path in object_files(tree, f"hs_simd_{level}_tiles")
        if path.exists()
    ]
    if not units:
        missing(f"{tree.name} has no compiled kernel units")
    found = {
        (path.name, kernel): code
        for path in units
        for kernel, code in functions(assembly(path), KERNEL).items()
    }
    assert len(found) > 100
    return found


def test_tile_kernels_end_in_jumps(compiled: dict[tuple[str, str], str]) -> None:
    wrong = [
        kernel
        for kernel, code in compiled.items()
        if "call" in transfers(code) or "jmp" not in transfers(code)
    ]
    assert wrong == []


def test_tile_kernels_find_the_stack_aligned(compiled: dict[tuple[str, str], str]) -> None:
    assert [kernel for kernel, code in compiled.items() if ALIGNS.search(code)] == []


def test_who_is_called_from_outside_aligns_the_stack() -> None:
    tree = build_tree()
    if "\nCMAKE_BUILD_TYPE:STRING=Release\n" not in (tree / "CMakeCache.txt").read_text():
        missing(f"{tree.name} is no release build")
    for level in LEVELS:
        for path in object_files(tree, f"hs_simd_{level}_tiles"):
            if path.name.startswith("unit_tile_table") and path.exists():
                found = functions(assembly(path), ENTRY)
                assert len(found) == 2
                assert all(ALIGNS.search(code) for code in found.values()), path


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
    assert [transfers(code) for code in functions(text, KERNEL).values()] == [["jmp"], ["call"]]


def test_an_aligned_stack_is_noticed() -> None:
    assert ALIGNS.search("   7:\tand    $0xffffffffffffffe0,%rsp\n")
    assert ALIGNS.search("   7:\tand    $0xffffffffffffffc0,%rsp\n")
    assert not ALIGNS.search("   7:\tand    $0xffffffffffffffe0,%rax\n")
