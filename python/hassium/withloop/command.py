"""``python -m hassium.withloop FILE``: takes generators through the phases and prints each product.

FILE holds the generators of one array as docs/withloops.md describes them; ``-`` reads standard
input. The exit status is 2 for a text, a name or tiles that are no good.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hassium import debug
from hassium.withloop.dumps import grids, place
from hassium.withloop.picture import Picture

PHASES = ("generators", "cubes", "splitting", "tiling", "merging", "optimisation", "fitting")


def extents(word: str) -> list[int]:
    """Parses one ``--tiles`` argument: the extents of a level."""
    return [int(number) for number in word.split(",")]


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m hassium.withloop", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("file", metavar="FILE", help="generators in text form; - is standard input")
    parser.add_argument("--phase", choices=PHASES, help="print and draw this phase alone")
    parser.add_argument(
        "--segmentation",
        metavar="NAME",
        default="auto",
        help="what is one nest: all, cubes, generators or auto (default auto)",
    )
    parser.add_argument(
        "--tiles",
        metavar="N,N",
        type=extents,
        action="append",
        default=[],
        help="extents of the tiles of a level; once for each level, the outermost first",
    )
    parser.add_argument(
        "--svg",
        metavar="OUT",
        nargs="?",
        const="",
        help="draw the phases into OUT, or into FILE with the suffix .svg",
    )
    return parser


def picture_path(known: argparse.Namespace) -> Path:
    if known.svg:
        return Path(known.svg)
    if known.file == "-":
        raise ValueError("--svg needs a file to write when the generators are standard input")
    return Path(known.file).with_suffix(".svg")


def run(known: argparse.Namespace) -> str:
    """Returns the output. ValueError and OSError are errors of the user's."""
    text = sys.stdin.read() if known.file == "-" else Path(known.file).read_text()
    dumps = debug.generators(text, known.segmentation, known.tiles)
    shape = place(dumps["generators"].partition("\n")[0][len("shape [") : -1])
    if known.phase:
        dumps = {known.phase: dumps[known.phase]}
    if known.svg is not None:
        picture = Picture(shape, {name: grids(dump) for name, dump in dumps.items()})
        picture_path(known).write_text(picture.svg())
    return "\n".join(f"# {name}\n{dump}" for name, dump in dumps.items())


def main(arguments_given: list[str] | None = None) -> int:
    known = arguments().parse_args(arguments_given)
    try:
        print(run(known), end="")
    except (ValueError, OSError, MemoryError) as error:
        said = str(error) or type(error).__name__
        print(f"python -m hassium.withloop: error: {said}", file=sys.stderr)
        return 2
    return 0
