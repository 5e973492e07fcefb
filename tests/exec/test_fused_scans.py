"""Accumulations in one block with what makes their input and what uses their result.

The bits are those of the reference executor, which runs one instruction at a time, on any number of
threads and with every instruction set. Lengths lie around those of pieces and panels, so that lines
are run whole, some at a time, or piece by piece.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

Program = Callable[[Any, Any, Any], list[Any]]

LENGTHS = [2, 5, 1023, 1024, 1025, 4096, 4097, 12288, 12289, 30_000, 100_003]
SHAPES = [(1, 700), (3, 20_000), (5, 4097), (40, 1024), (700, 3), (9, 2), (2, 3, 1500), (300, 200)]


def draw(shape: Any, seed: int, dtype: str = "f8") -> Any:
    values = numpy.random.default_rng(seed).uniform(-2, 3, shape)
    return (values > 0) if dtype == "?" else values.astype(dtype)


def bits(array: Any) -> bytes:
    return bytes(numpy.ascontiguousarray(numpy.asarray(array)).tobytes())


def same_everywhere(program: Program, x: Any, w: Any) -> list[Any]:
    """Results of the program, equal for the reference executor and any number of threads."""
    found = []
    for settings in ({"executor": "reference"}, *({"threads": n} for n in (1, 2, 3, 7))):
        with hassium.config(eager_elements=0, **settings):
            results = program(hassium, hassium.array(x), hassium.array(w))
            hassium.flush()
            found.append([numpy.asarray(r) for r in results])
    for results in found[1:]:
        assert [bits(r) for r in results] == [bits(r) for r in found[0]]
    return found[0]


def around(np: Any, x: Any, w: Any) -> list[Any]:
    made = np.cumsum(x * 2 + w, axis=-1)
    return [made * w - x]


def several(np: Any, x: Any, w: Any) -> list[Any]:
    y = x + w
    total, top = np.cumsum(y, axis=-1), np.maximum.accumulate(y, axis=-1)
    return [total, total - top, np.minimum.accumulate(top * w, axis=-1) + y]


def one_after_another(np: Any, x: Any, w: Any) -> list[Any]:
    twice = np.cumsum(np.cumsum(x, axis=-1), axis=-1)
    return [twice, np.cumsum(twice * w, axis=-1)]


def in_place(np: Any, x: Any, w: Any) -> list[Any]:
    x += w
    np.add.accumulate(x, axis=-1, out=x)
    w *= x
    x -= 1
    return [x, w]


def products(np: Any, x: Any, w: Any) -> list[Any]:
    """These are combined from a line's first element to its last."""
    near = np.cumprod(x * 0.001 + 1, axis=-1)
    return [near * w, np.subtract.accumulate(x * w, axis=-1) + near]


def alone(np: Any, x: Any, w: Any) -> list[Any]:
    """Nothing but accumulations."""
    return [np.cumsum(np.cumsum(x, axis=-1), axis=-1), np.cumsum(w, axis=-1)]


PROGRAMS = [around, several, one_after_another, in_place, products, alone]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(program: Program, length: int) -> None:
    same_everywhere(program, draw(length, 1), draw(length, 2))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lines(program: Program, shape: tuple[int, ...]) -> None:
    x, w = draw(shape, 3), draw(shape, 4)
    own = same_everywhere(program, x, w)
    for result, expected in zip(own, program(numpy, x.copy(), w.copy()), strict=True):
        numpy.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["f4", "f2", "c16", "c8", "i8", "i4", "u2", "?"])
@pytest.mark.parametrize("shape", [(5000,), (40_000,), (3, 5000), (50, 30)])
def test_dtypes(dtype: str, shape: tuple[int, ...]) -> None:
    def program(np: Any, x: Any, w: Any) -> list[Any]:
        logical = np.logical_or.accumulate(x == w, axis=-1)
        return [np.cumsum(x + w, axis=-1) * w, logical & (x != w)]

    same_everywhere(program, draw(shape, 5, dtype), draw(shape, 6, dtype))


@pytest.mark.usefixtures("simd_level")
@pytest.mark.parametrize("shape", [(3,), (9000,), (60, 70)])
def test_every_instruction_set(shape: tuple[int, ...]) -> None:
    for dtype in ("f8", "f4", "i4"):
        same_everywhere(several, draw(shape, 7, dtype), draw(shape, 8, dtype))


@pytest.mark.parametrize("shape", [(9000,), (3, 9000), (60, 70)])
def test_results_in_other_dtypes(shape: tuple[int, ...]) -> None:
    def program(np: Any, x: Any, w: Any) -> list[Any]:
        wide, narrow = np.empty(x.shape), np.empty(x.shape, "f4")
        np.add.accumulate(x * 2, axis=-1, dtype="f8", out=wide)
        np.add.accumulate(wide + x, axis=-1, out=narrow)
        return [wide * 2, narrow * w, np.cumsum(x > w, axis=-1, dtype="i2") + 1]

    same_everywhere(program, draw(shape, 9, "f4"), draw(shape, 10, "f4"))


@pytest.mark.parametrize("way", ["turned", "spaced", "backwards", "columns", "repeated", "gaps"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_layouts(way: str, axis: int) -> None:
    views: dict[str, Callable[[Any], Any]] = {
        "turned": lambda a: a.transpose(2, 0, 1),
        "spaced": lambda a: a[::2, :, ::2],
        "backwards": lambda a: a[:, ::-1, ::-1],
        "columns": lambda a: a[:, 3:, :5],
        "repeated": lambda a: a[:, :1] + a * 0,
        "gaps": lambda a: a[1:, 2:9, 5:],
    }

    def program(np: Any, x: Any, w: Any) -> list[Any]:
        x, w = views[way](x), views[way](w)
        made = np.cumsum(x * w, axis=axis)
        x[...] = made - w
        return [x, np.maximum.accumulate(x, axis=axis) * made]

    same_everywhere(program, draw((12, 13, 1400), 11), draw((12, 13, 1400), 12))


@pytest.mark.usefixtures("cold_cache")
def test_one_block_without_temporaries() -> None:
    x, w = hassium.array(draw(50_000, 13)), hassium.array(draw(50_000, 14))
    hassium.flush()
    for program, blocks in [
        (lambda: hassium.cumsum(hassium.exp(x)) * w, 1),
        (lambda: hassium.cumsum(hassium.exp(x))[::-1] * w, 2),  # shifted views do not share
        (lambda: hassium.exp(x) * hassium.cumsum(hassium.cumsum(w)), 1),
        (lambda: hassium.cumsum(hassium.exp(x)).sum(), 2),  # nor does a reduction
    ]:
        hassium.reset_stats()
        kept = program()
        hassium.flush()
        assert int(hassium.stats()["blocks"]) == blocks
        del kept
    hassium.reset_stats()
    hassium.cache_clear()
    with hassium.debug.capture() as flushes:
        kept = hassium.cumsum(hassium.exp(x)) * w
        hassium.flush()
    (plan,) = [flush.plan for flush in flushes]
    acquired = [line for line in plan.splitlines() if line.startswith("  acquires")]
    assert [line.count("b") for line in acquired] == [1]  # the product alone
    assert kept.shape == (50_000,)


@pytest.mark.usefixtures("cold_cache")
def test_lengths_of_one_form_are_planned_anew() -> None:
    """A symbolic hit lends the partition; the plan follows the numbers."""
    for length in (6000, 7000, 20_000, 3, 1024, 90_000):
        x = draw(length, length)
        own = hassium.cumsum(hassium.array(x) * 2.0) + 1.0
        numpy.testing.assert_allclose(
            numpy.asarray(own), numpy.cumsum(x * 2.0) + 1.0, rtol=1e-10, atol=1e-10
        )


def test_nothing_and_single_elements() -> None:
    for shape in [(0,), (3, 0), (0, 3), (1,), (1, 1), (4, 1), (1, 4)]:
        for program in PROGRAMS:
            own = same_everywhere(program, draw(shape, 15), draw(shape, 16))
            for result, expected in zip(
                own, program(numpy, draw(shape, 15), draw(shape, 16)), strict=True
            ):
                numpy.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("threads", [1, 3])
def test_conditions_are_reported(threads: int) -> None:
    x = hassium.full(40_000, 1e305)
    with (
        hassium.config(parallelize="on", threads=threads),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        own = hassium.cumsum(x * 1.5) - 1.0
        hassium.flush()
    assert [str(w.message) for w in caught] == ["overflow encountered in accumulate"]
    assert float(own[-1]) == numpy.inf
