"""Complex numbers whose parts are treated alike: as they lie, with the bits of each part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium
from array_pairs import same_parts

pytestmark = pytest.mark.usefixtures("simd_level")

LENGTHS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 129, 513, 1500]


def numbers(dtype: str, shape: Any, seed: int) -> Any:
    draw = numpy.random.default_rng(seed)
    whole = draw.normal(size=(2, *numpy.atleast_1d(shape)))
    rare = draw.random(whole.shape) < 0.05
    whole[rare] = draw.choice([0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan], int(rare.sum()))
    z = numpy.empty(shape, dtype)
    z.real, z.imag = whole
    return z


def in_pairs(program: Callable[..., Any], *arrays: Any) -> bool:
    """Runs the program on copies of the arrays, compares, and tells whether it ran on pairs."""
    ours, theirs = [hassium.array(a) for a in arrays], [a.copy() for a in arrays]
    hassium.flush()
    with hassium.errstate(all="ignore"), numpy.errstate(all="ignore"):
        before = hassium.stats()["chains_interleaved"]
        with hassium.config(eager_elements=0):
            found = program(hassium, *ours)
            hassium.flush()
        wanted = program(numpy, *theirs)
    for a, b in zip([*found, *ours], [*wanted, *theirs], strict=True):
        same_parts(a, b)
    return bool(hassium.stats()["chains_interleaved"] > before)


def add_in_place(np: Any, x: Any, y: Any, z: Any) -> list[Any]:
    x += y
    z -= x
    return []


def into_new(np: Any, x: Any, y: Any, z: Any) -> list[Any]:
    t = x + y
    return [t, -(t - z), +x - (y + t)]


def into_given(np: Any, x: Any, y: Any, z: Any) -> list[Any]:
    np.subtract(y, x, out=z)
    np.negative(x, out=x)
    return []


def of_one(np: Any, x: Any, y: Any, z: Any) -> list[Any]:
    x += x
    y -= y
    return [z + z, -z]


def turn_round(np: Any, x: Any, y: Any, z: Any) -> list[Any]:
    t = x + y
    x[...] = y - z
    y[...] = t - z
    z += t
    return []


ALIKE = [add_in_place, into_new, into_given, of_one, turn_round]


@pytest.mark.parametrize("program", ALIKE)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("shape", [*LENGTHS, (3, 7), (40, 5), (9, 70), (2, 3, 33)])
def test_parts_alike(program: Callable[..., Any], dtype: str, shape: Any) -> None:
    hassium.cache_clear()
    assert in_pairs(program, *(numbers(dtype, shape, seed) for seed in (1, 2, 3)))


VIEWS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x[1:-1],
    "columns": lambda x: x[:, 1:-2],
    "second columns": lambda x: x[:, ::2],
    "back": lambda x: x[:, ::-1],
    "turned": lambda x: x[::-1],
    "transposed": lambda x: x.T,
    "one for all": lambda x: x[:, :1] + 0 * x,
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("program", ALIKE)
def test_views(program: Callable[..., Any], view: str, dtype: str) -> None:
    def of_views(np: Any, *arrays: Any) -> Any:
        return program(np, *(VIEWS[view](a) for a in arrays))

    for shape in ((30, 40), (5, 301)):
        in_pairs(of_views, *(numbers(dtype, shape, seed) for seed in (4, 5, 6)))


def test_lines_and_elements_for_all() -> None:
    def program(np: Any, x: Any, line: Any, column: Any) -> list[Any]:
        x += line
        return [x - column, x + line[3], column - x[:1]]

    for dtype in ("c8", "c16"):
        arrays = [numbers(dtype, s, 7) for s in ((33, 50), (50,), (33, 1))]
        in_pairs(program, *arrays)


def test_overlap() -> None:
    def program(np: Any, x: Any, y: Any) -> list[Any]:
        x[1:] += x[:-1]
        y[:-3] -= y[3:]
        x[::-1] += y
        return []

    for n in (5, 64, 1000):
        in_pairs(program, numbers("c16", n, 8), numbers("c16", n, 9))


APART: dict[str, Callable[..., Any]] = {
    "conjugate": lambda np, x, y: [x.conj() + y],
    "product": lambda np, x, y: [x * y + x],
    "real part": lambda np, x, y: [(x + y).real - 1],
    "parts turned": lambda np, x, y: [x.imag + 1j * x.real + y],
    "other numbers": lambda np, x, y: [x + y.real, x - (1 - 2j), 1.5 - x],
    "chosen": lambda np, x, y: [np.where(x.real > 0, x + y, x - y)],
    "compared": lambda np, x, y: [(x + y) == (y + x)],
    "other size": lambda np, x, y: [x + y.astype("c8").astype("c16"), (x - y).astype("c8")],
    "part unread": lambda np, x, y: [(x + y), (x.real + y.real)],
}


@pytest.mark.parametrize("program", APART)
@pytest.mark.parametrize("n", [17, 200])
def test_parts_apart(program: str, n: int) -> None:
    in_pairs(APART[program], numbers("c16", n, 10), numbers("c16", n, 11))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_conditions(dtype: str) -> None:
    most = numpy.finfo(dtype).max
    for where in (0, 41, 99):
        for what in (complex(most, 0), complex(0, most)):
            x = numpy.zeros(100, dtype)
            x[where] = what
            with numpy.errstate(all="ignore"):
                wanted = x + x
            for few in (0, 1000):
                own = hassium.array(x)
                hassium.flush()
                with (
                    hassium.config(eager_elements=few),
                    pytest.warns(RuntimeWarning, match="overflow"),
                ):
                    same_parts(own + own, wanted)
