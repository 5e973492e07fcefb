"""Fuzzing the text form of programs.

    python tests/fuzz/fuzz_text.py -max_total_time=600 -len_control=0 -max_len=400
    python tests/fuzz/fuzz_text.py --runs 2000 --seed 1

With atheris installed the first form lets it drive, with libFuzzer's options: a folder for the
corpus, a file that crashed. The coverage that guides it is that of the writer of programs, so it
looks for new kinds of statements. The second form draws bytes at random and needs nothing.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

DRAWN = "--runs" in sys.argv or importlib.util.find_spec("atheris") is None
if DRAWN or __name__ != "__main__":
    from fuzz import text_programs
else:
    import atheris

    with atheris.instrument_imports(include=["fuzz.text_programs"]):
        from fuzz import text_programs

LONGEST = 400


def one_input(data: bytes) -> None:
    """An even first byte: programs run every way; an odd one: noise among the words."""
    if data and data[0] % 4 == 3:
        text_programs.check_words(data[1:])
    else:
        text_programs.check(data)


def drawn(runs: int, seed: int) -> None:
    """Without a fuzzer: as many inputs, the failing one kept in a file."""
    dice = random.Random(seed)
    for number in range(runs):
        data = dice.randbytes(dice.randrange(LONGEST))
        try:
            one_input(data)
        except BaseException:
            kept = Path(f"crash-{seed}-{number}")
            kept.write_bytes(data)
            print(f"input {number} of seed {seed} is kept in {kept}", file=sys.stderr)
            raise
    print(f"{runs} inputs of seed {seed} hold")


def main() -> None:
    if not DRAWN:
        atheris.Setup(sys.argv, one_input)
        atheris.Fuzz()
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="*", type=Path, help="inputs to run again")
    known = parser.parse_args()
    for file in known.files:
        one_input(file.read_bytes())
    if not known.files:
        drawn(known.runs, known.seed)


if __name__ == "__main__":
    main()
