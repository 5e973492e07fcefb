"""The command line that the programs of this folder share.

A program is a plain NumPy script. Run by itself it is timed and its result is printed as a
checksum; run by `python -m hassium` the module it calls `np` is hassium, so the same `run` is timed
once more with NumPy, and the two results are compared bit for bit.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Size = tuple[int, ...]
Sizes = Mapping[str, Size]

# The largest difference of math functions between two correct libraries; the rest is exact.
RTOL = {"float64": 1e-12, "float32": 1e-4}


def numpy_of(np: Any) -> Any:
    """Returns NumPy itself: `np`, or the module that hassium replaces."""
    return sys.modules["numpy"] if is_hassium(np) else np


def is_hassium(np: Any) -> bool:
    return hasattr(np, "reset_stats")


def parse_size(text: str, sizes: Sizes, steps: int | None = None) -> Size:
    """Parses a size by name (`medium`) or by numbers (`4000*4000*20`).

    The last number counts steps and may be omitted or given as `steps`; a single number applies to
    all extents if the program's own sizes have equal ones.
    """
    model = sizes["medium"]
    if text in sizes:
        size = sizes[text]
    else:
        try:
            numbers = [float(part) for part in text.split("*")]
        except ValueError:
            numbers = [math.nan]
        if not all(number.is_integer() for number in numbers):
            raise ValueError(f"size {text!r} is neither N*N*... nor {', '.join(sizes)}")
        size = tuple(int(number) for number in numbers)
        extents = len(model) - 1
        if len(size) == 1 and extents > 1 and len(set(model[:extents])) == 1:
            size *= extents
        if len(size) == extents:
            size += model[extents:]
    if steps is not None:
        size = (*size[:-1], steps)
    if len(size) != len(model) or min(size) < 1:
        raise ValueError(f"size {text!r} is not of the form {'*'.join(map(str, model))}")
    return size


def timed(np: Any, run: Callable[..., Any], size: Size, dtype: str, **options: Any) -> Any:
    """Returns the result as a NumPy array, and the seconds until its last element can be read."""
    begin = time.perf_counter()
    result = numpy_of(np).asarray(run(np, size, dtype, **options))
    return result, time.perf_counter() - begin


def checksum(numpy: Any, result: Any) -> str:
    bits = zlib.crc32(numpy.ascontiguousarray(result).view(numpy.uint8))
    return f"crc32 {bits:08x}  sum {result.sum(dtype=numpy.float64):.17g}"


def difference(numpy: Any, one: Any, other: Any) -> float:
    """Returns the largest difference, relative to the largest magnitude of the result."""
    scale = float(numpy.abs(other).max(initial=0.0)) or 1.0
    gaps = numpy.abs(one.astype(numpy.float64) - other.astype(numpy.float64))
    return float(gaps.max(initial=0.0)) / scale


def compact(value: Any) -> str:
    """Formats a statistic in one line: mappings in braces, times with four digits."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} {compact(part)}" for key, part in value.items()) + "}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def default_draw(axes: Any, result: Any) -> None:
    """Draws a curve, a map, or a map of the middle slice for more axes."""
    while result.ndim > 2:
        result = result[result.shape[0] // 2]
    if result.ndim == 2:
        axes.figure.colorbar(axes.imshow(result, cmap="inferno", interpolation="nearest"))
    else:
        axes.plot(result, marker="." if result.size < 100 else "")
        axes.set_xlabel("step" if result.size < 100 else "element")


def plot(draw: Callable[[Any, Any], None], result: Any, title: str, path: Path) -> None:
    """Writes a picture of the result to a file; only this needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 6), layout="constrained")
    draw(axes, result)
    axes.set_title(title)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def arguments(doc: str, sizes: Sizes, options: Mapping[str, tuple[Any, str]]) -> Any:
    named = ", ".join(f"{name} = {'*'.join(map(str, size))}" for name, size in sizes.items())
    parser = argparse.ArgumentParser(description=doc.partition("\n")[0])
    parser.add_argument("--size", default="medium", help=f"numbers joined by *, or {named}")
    parser.add_argument("--steps", type=int, help="number of steps, in place of the size's last")
    parser.add_argument("--dtype", default="float64", choices=list(RTOL))
    parser.add_argument("--threads", type=int, help="threads of hassium (NumPy always uses one)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the result to an image")
    for name, (default, text) in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help=text)
    known = parser.parse_args()
    try:
        known.size = parse_size(known.size, sizes, known.steps)
    except ValueError as error:
        parser.error(str(error))
    return known


def compare(np: Any, mine: Any, seconds: float, again: Callable[[Any], Any], dtype: str) -> bool:
    """Prints NumPy's run of the script beside hassium's; returns False if the results disagree."""
    numpy = numpy_of(np)
    statistics = np.stats()
    theirs, numpy_seconds = again(numpy)
    print(f"NumPy    {numpy_seconds:9.4f} s  {checksum(numpy, theirs)}")
    same = mine.dtype == theirs.dtype and mine.shape == theirs.shape
    gap = difference(numpy, mine, theirs) if same else float("inf")
    exact = same and mine.tobytes() == theirs.tobytes()
    verdict = "the same bits" if exact else f"results differ by {gap:.2g}, relative"
    print(f"speed-up {numpy_seconds / seconds:9.2f}    {verdict}")
    for key, value in statistics.items():
        print(f"  {key:14} {compact(value)}")
    return exact or gap <= RTOL[dtype]


def main(
    np: Any,
    doc: str | None,
    sizes: Sizes,
    run: Callable[..., Any],
    check: Callable[[Any, Any, Size], None],
    options: Mapping[str, tuple[Any, str]] | None = None,
    draw: Callable[[Any, Any], None] = default_draw,
) -> None:
    """Runs, times, checks and prints one program as the command line requests."""
    options = options or {}
    known = arguments(doc or "", sizes, options)
    numpy = numpy_of(np)
    extra = {name: getattr(known, name) for name in options}

    def once(module: Any) -> Any:
        return timed(module, run, known.size, known.dtype, **extra)

    if is_hassium(np):
        if known.threads is not None:
            np.config(threads=known.threads)
        np.reset_stats()
    title = f"{Path(sys.argv[0]).stem} {'*'.join(map(str, known.size))} {known.dtype}"
    print(title)
    result, seconds = once(np)
    name = "hassium" if is_hassium(np) else "NumPy"
    print(f"{name:8} {seconds:9.4f} s  {checksum(numpy, result)}")
    agree = compare(np, result, seconds, once, known.dtype) if is_hassium(np) else True
    if known.plot is not None:
        plot(draw, result, title, known.plot)
    check(numpy, result, known.size)
    print("check    passed")
    if not agree:
        sys.exit("the results of hassium and NumPy disagree")
