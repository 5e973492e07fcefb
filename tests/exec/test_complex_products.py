"""Products of complex numbers: the same bits by a loop over memory, in a chain and in place."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium
from array_pairs import same_parts

pytestmark = pytest.mark.usefixtures("simd_level")


def numbers(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    draw = numpy.random.default_rng(seed)
    whole = draw.normal(size=(2, *shape)) * numpy.exp2(draw.integers(-40, 40, (2, *shape)))
    specials = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan]
    rare = draw.random((2, *shape)) < 0.02
    whole[rare] = draw.choice(specials, int(rare.sum()))
    z = numpy.empty(shape, dtype)
    z.real, z.imag = whole
    return z


def by_reference(a: Any, b: Any) -> Any:
    """NumPy's own bits depend on how its arrays lie."""
    with hassium.config(executor="reference"):
        return hassium.multiply(hassium.array(a), b).to_numpy()


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("shape", [(1,), (7,), (1000,), (30, 40), (3, 700)])
def test_alone_in_a_chain_and_in_place(dtype: str, shape: tuple[int, ...]) -> None:
    a, b = numbers(dtype, shape, 1), numbers(dtype, shape, 2)
    x, y = hassium.array(a), hassium.array(b)
    with numpy.errstate(all="ignore"), hassium.errstate(all="ignore"):
        for factor in (x, y, x[..., ::-1], y[..., :1], 2j, 1.5):
            wanted = by_reference(a, factor)
            same_parts(x * factor, wanted)
            same_parts((x * factor).real, wanted.real)
            same_parts((x * factor) + y, wanted + b)
            own = hassium.array(a)
            own *= factor
            same_parts(own, wanted)
        same_parts(hassium.square(x), by_reference(a, x))
        own = hassium.array(a)
        own *= own
        same_parts(own, by_reference(a, x))


@pytest.mark.parametrize("dtype", ["c8", "c16"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 100])
def test_loops_over_pairs(dtype: str, n: int) -> None:
    """At the call and in a flush: arrays, one element for all, results in place of operands."""
    a, b = numbers(dtype, (n,), 3), numbers(dtype, (n,), 4)
    operations: list[Any] = [
        lambda x, y: x + y,
        lambda x, y: x - y[:1],
        lambda x, y: (1.5 - 2j) - x,
        lambda x, y: -x,
        lambda x, y: +y,
        lambda x, y: hassium.add(x, y, out=y),
        lambda x, y: hassium.subtract(x, x, out=x),
        lambda x, y: hassium.multiply(y, y, out=y),
        lambda x, y: x * y[-1:],
        lambda x, y: hassium.square(x),
        lambda x, y: hassium.add(x[::-1], y),
    ]
    with hassium.errstate(all="ignore"):
        for operation in operations:
            found = []
            for few, executor in ((0, "reference"), (0, "tile"), (1000, "tile")):
                x, y = hassium.array(a), hassium.array(b)
                hassium.flush()
                with hassium.config(eager_elements=few, executor=executor):
                    found.append(operation(x, y).to_numpy())
            same_parts(found[1], found[0])
            same_parts(found[2], found[0])
