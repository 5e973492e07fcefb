"""Scatters and segments of a vector of values, in one block with what makes the values.

The results are NumPy's to the bit: values are taken in the order of the index, panel after panel,
on any number of threads. Lengths lie around those of panels.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium

SETTINGS: list[dict[str, Any]] = [
    {"threads": 1},
    {"threads": 3, "parallelize": "on"},
    {"partitioner": "optimal", "threads": 2, "parallelize": "on"},
    {"partitioner": "singleton"},
    {"executor": "reference"},
]
LENGTHS = [2, 3, 511, 4096, 4097, 20_000, 32_768, 40_001, 100_003]

Program = Callable[[Any, Any, Any, Any, Any], list[Any]]


def put(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    q[i] = 2 * x + w
    return [q]


def at(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    np.add.at(q, i, (x - w) * x)
    return [q]


def several(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    """Two vectors, whose values share what they are made of and are read as well."""
    other = np.ones_like(q)
    y = x * w
    np.subtract.at(q, i, y + 1)
    np.maximum.at(other, i, y - x)
    return [q, other, y * 2]


def one_after_another(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    """The second scatter goes on where the first has ended."""
    y = x * w
    np.add.at(q, i, y)
    q[i[::-1]] = y + x
    np.multiply.at(q, i, w * y)
    return [q]


def gathered(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    """Values are taken from the vector that is written, and from another one."""
    q[i] += x * 2
    np.add.at(q, i, w[i % w.size] * x[::-1] + q[i])
    return [q]


def accumulated(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    total = np.cumsum(x + w)
    q[i] = total * w
    np.minimum.at(q, i, np.maximum.accumulate(total) - x)
    return [q, total]


def strided(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    wide = np.zeros(3 * q.size, q.dtype)
    wide[::-3][i] = x[::-1] * w
    np.add.at(wide[1::3], i[::-1], w[::-1] + 1)
    return [wide]


def counted(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    return [np.bincount(i, weights=x * w, minlength=7)]


def segments(np: Any, x: Any, w: Any, i: Any, q: Any) -> list[Any]:
    """Sums and extremes of short and long segments, of some that span panels, and in any order."""
    found = []
    n = x.size
    for begins in (
        np.arange(0, n, 3),
        np.arange(n // 2, n, max(n // 3, 1)),
        np.zeros(1, int),
        np.array([0, 0, n // 4, n // 4, n // 2, n - 1]),
        np.concatenate([np.arange(n // 7), np.arange(n // 7, n, 5000)]),
        np.array([n - 1, 0, n // 2, n // 3, n // 2]),
    ):
        found += [np.add.reduceat(x * w + 1, begins), np.maximum.reduceat(w - x, begins)]
    found.append(np.cumsum(x - w))
    found.append(np.subtract.reduceat(found[-1] * 2, np.arange(0, n, 50)))
    return found


PROGRAMS = [put, at, several, one_after_another, gathered, accumulated, strided, counted, segments]


def arguments(length: int, bins: int, dtype: str = "f8") -> list[Any]:
    draw = numpy.random.default_rng(length + bins)
    x, w = (draw.integers(-9, 9, length).astype(dtype) for _ in range(2))
    return [x, w, draw.integers(0, bins, length), draw.integers(0, 5, bins).astype(dtype)]


def check(program: Program, given: list[Any]) -> None:
    with numpy.errstate(all="ignore"):
        expected = program(numpy, *(a.copy() for a in given))
    for settings in SETTINGS:
        with hassium.config(eager_elements=0, **settings), numpy.errstate(all="ignore"):
            own = program(hassium, *(hassium.array(a) for a in given))
            hassium.flush()
        for result, wanted in zip(own, expected, strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(result), wanted, strict=True)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_lengths(program: Program, length: int) -> None:
    for bins in (1, 300, 200_000):
        check(program, arguments(length, bins))


@pytest.mark.parametrize("dtype", ["f4", "f2", "i8", "i2", "u1", "c16"])
@pytest.mark.parametrize("program", [put, at, one_after_another, strided, segments])
def test_dtypes(program: Program, dtype: str) -> None:
    check(program, arguments(40_000, 999, dtype))


@pytest.mark.parametrize(("values", "target"), [("f8", "f4"), ("i4", "f8"), ("c16", "c8")])
def test_casts(values: str, target: str) -> None:
    x, w, i, q = arguments(40_000, 999, values)
    check(put, [x, w, i, q.astype(target)])
    check(at, [x, w, i, q.astype(numpy.result_type(values, target))])


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_sums_of_segments_are_those_of_whole_arrays(dtype: str) -> None:
    """Of numbers that round, in the order of the reference executor."""
    for length in (5000, 70_001):
        draw = numpy.random.default_rng(length)
        given = [draw.uniform(-1, 1, length).astype(dtype) for _ in range(2)]
        found = []
        for settings in SETTINGS:
            with hassium.config(eager_elements=0, **settings):
                x, w = (hassium.array(a) for a in given)
                results = segments(hassium, x, w, None, None)[:-2]
                found.append([numpy.asarray(r).tobytes() for r in results])
        assert all(results == found[0] for results in found)


@pytest.mark.usefixtures("simd_level")
def test_every_instruction_set() -> None:
    for program in (put, at, several, segments):
        check(program, arguments(9000, 70))


def test_random_chains() -> None:
    """Scatters, gathers and maps of several vectors in any order."""
    lines = [
        "q[i] = x * {k}",
        "q[j] = q[i] + x",
        "np.add.at(q, i, x + {k})",
        "np.subtract.at(r, j, x * w)",
        "np.maximum.at(r, i, r[j] - w)",
        "x = x + w * {k}",
        "w = r[i] - x",
        "x = np.cumsum(w) % 11",
        "r = r * 2 - q",
        "r[q > 3] = {k}",
        "w[:] = np.repeat(np.add.reduceat(x * {k} + w, np.arange(0, x.size, 2)), 2) % 7",
        "r[:1] = np.minimum.reduceat(w - x, [x.size // 3, x.size // 2])[:1]",
        "x[::2] = w[1::2]",
    ]
    for seed in range(60):
        choose = random.Random(seed)
        length, bins = 2 * choose.randint(1, 20_000), choose.choice([1, 50, 5000])
        text = "\n".join(choose.choice(lines).format(k=choose.randint(1, 4)) for _ in range(9))

        def program(np: Any, x: Any, w: Any, i: Any, q: Any, text: str = text) -> list[Any]:
            space = {"np": np, "x": x, "w": w, "i": i, "j": i[::-1], "q": q, "r": q + 1}
            exec(text, space)
            return [space[name] for name in "xwqr"]

        check(program, arguments(length, bins))


@pytest.mark.usefixtures("cold_cache")
def test_values_take_no_memory() -> None:
    x, w, i, q = (hassium.array(a) for a in arguments(100_000, 4096))
    hassium.flush()
    for program in (put, at):
        hassium.cache_clear()
        with hassium.debug.capture() as flushes:
            program(hassium, x, w, i, q)
            hassium.flush()
        (plan,) = [flush.plan for flush in flushes]
        assert plan.startswith("rows 100000 in panels")
        assert "phase ordered" in plan
        assert "acquires" not in plan.replace("  acquires b3\n", "")


@pytest.mark.parametrize("threads", [1, 3])
def test_conditions_are_reported(threads: int) -> None:
    found = []
    for np in (numpy, hassium):
        x, q = np.arange(40_000.0), np.zeros(50)
        i = np.arange(40_000) % 50
        with (
            hassium.config(parallelize="on", threads=threads),
            warnings.catch_warnings(record=True) as caught,
        ):
            warnings.simplefilter("always")
            np.add.at(q, i, 1 / x)
            q[i] = np.sqrt(x - 1)
            np.subtract.at(q, i, 1e308 - x)
            hassium.flush()
        found.append(([str(w.message) for w in caught], numpy.asarray(q)))
    assert found[0][0] == found[1][0]
    numpy.testing.assert_array_equal(found[0][1], found[1][1])


def test_a_wrong_index_changes_nothing() -> None:
    x, q = hassium.arange(5.0), hassium.zeros(3)
    for wrong in ([0, 1, 2, 3, 0], [0, -4, 1, 1, 1]):
        i = hassium.array(wrong)
        with pytest.raises(IndexError):
            q[i] = x * 2
        with pytest.raises(IndexError):
            hassium.add.at(q, i, x * 2)
    assert q.tolist() == [0, 0, 0]
