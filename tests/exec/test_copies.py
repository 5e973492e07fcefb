"""Long lines that are only moved, wherever they begin and whatever they overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

BYTES = [4095, 4096, 5000, 65_535, 65_536, 70_001, 1_048_576, 2_500_000]
BEHIND = [0, 1, 8, 63, 64, 65, 2048, 4032, 4095]


def bytes_of(n: int) -> numpy.ndarray[Any, Any]:
    return numpy.random.default_rng(n).integers(0, 256, n, numpy.uint8)


@pytest.mark.parametrize("count", BYTES)
@pytest.mark.parametrize("behind", BEHIND)
def test_lines_begin_anywhere(count: int, behind: int) -> None:
    source = bytes_of(count + 100)
    x, target = np.array(source), np.zeros(count + 8192, "u1")
    target[behind + 3 : behind + 3 + count] = x[3 : 3 + count]
    found = target.to_numpy()
    assert (found[behind + 3 : behind + 3 + count] == source[3 : 3 + count]).all()
    assert not found[: behind + 3].any()
    assert not found[behind + 3 + count :].any()


@pytest.mark.parametrize("shift", [1, 64, 5000, -1, -64, -5000])
def test_lines_that_overlap_are_copied_as_if_apart(shift: int) -> None:
    source = bytes_of(300_000)
    x = np.array(source)
    wanted = source.copy()
    if shift > 0:
        x[shift:] = x[:-shift]
        wanted[shift:] = source[:-shift]
    else:
        x[:shift] = x[-shift:]
        wanted[:shift] = source[-shift:]
    assert (x.to_numpy() == wanted).all()


@pytest.mark.parametrize("columns", [100, 511, 512, 513, 1000, 9000])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_rows_side_by_side(columns: int, dtype: str) -> None:
    a = bytes_of(150 * columns).reshape(150, columns).astype(dtype)
    b = a[::-1].copy()
    x, y = np.array(a), np.array(b)
    for found, wanted in (
        (np.concatenate([x, y], axis=1), numpy.concatenate([a, b], axis=1)),
        (np.concatenate([x, y]), numpy.concatenate([a, b])),
        (np.stack([x, y], axis=1), numpy.stack([a, b], axis=1)),
        (np.tile(x, (2, 2)), numpy.tile(a, (2, 2))),
        (np.repeat(x, 2, axis=0), numpy.repeat(a, 2, axis=0)),
        (np.roll(x, 1, 0), numpy.roll(a, 1, 0)),
    ):
        assert (found.to_numpy() == wanted).all()


@pytest.mark.parametrize(
    ("count", "moved", "computed"), [(1_500_000, False, True), (2_500_000, True, True)]
)
def test_moves_go_past_the_caches_later_than_results(
    count: int, moved: bool, computed: bool
) -> None:
    x = np.zeros(count)
    results: tuple[tuple[Callable[[], Any], bool], ...] = (
        (x.copy, moved),
        (lambda: x * 2.0, computed),
    )
    for make, wanted in results:
        with np.debug.capture() as flushes:
            y = make()
        assert (" stream" in flushes[0].plan) == wanted
        assert y.shape == (count,)


@pytest.mark.parametrize("count", [1, 700, 70_000, 150_000, 1_100_000])
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("f8", 0.0),
        ("f8", -0.0),
        ("f8", 2.5),
        ("i8", -1),
        ("i8", 0x0101010101010101),
        ("i2", 7),
        ("u1", 200),
        ("?", True),
        ("c16", 0.0),
        ("c16", 1j),
        ("f2", 1.5),
    ],
)
def test_one_value_everywhere(dtype: str, value: Any, count: int) -> None:
    wanted = numpy.full(count, value, dtype)
    x = np.empty(count, dtype)
    x.fill(value)
    for found in (np.full(count, value, dtype), x, np.zeros(count + 2, dtype)):
        if found.size > count:
            found[1:-1] = value
            assert not found[0]
            assert not found[-1]
            found = found[1:-1]
        assert found.to_numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("columns", [3, 100, 5000, 300_000])
def test_one_value_a_row(columns: int) -> None:
    values = numpy.arange(7) * 0.5
    x = np.empty((7, columns))
    x[...] = np.array(values)[:, None]
    assert (x.to_numpy() == numpy.broadcast_to(values[:, None], (7, columns))).all()
    x[:, 1:-1] = 0
    wanted = numpy.zeros((7, columns))
    wanted[:, [0, -1]] = values[:, None]
    assert (x.to_numpy() == wanted).all()
