"""`pad` is NumPy's, in every mode, and recorded where it only copies."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hassium
from array_pairs import outcome, plain

ARRAYS: list[Any] = [
    numpy.arange(5.0),
    numpy.arange(6).reshape(2, 3),
    numpy.asfortranarray(numpy.arange(12.0, dtype="f4").reshape(4, 3)),
    numpy.arange(24.0).reshape(2, 3, 4)[:, ::-1],
    numpy.array([True, False, True]),
    numpy.full((2, 2), 1 + 2j),
    numpy.zeros((0, 3)),
    numpy.array(3.0),
    numpy.array([7]),
    [1, 2, 3],
    ["a", "b"],
]
WIDTHS: list[Any] = [
    0, 1, 2, 7, (1, 2), ((1, 2),), ((0, 3), (2, 0)), [[1, 0]], ((1, 1), (2, 2), (0, 1)), -1, 1.5,
    (1, 2, 3), {-1: (1, 2)}, numpy.int64(2), True,
]  # fmt: skip
MODES: list[tuple[Any, dict[str, Any]]] = [
    ("constant", {}),
    ("constant", {"constant_values": 4}),
    ("constant", {"constant_values": (1, 2.5)}),
    ("constant", {"constant_values": ((1, 2), (3, 4))}),
    ("edge", {}),
    ("wrap", {}),
    ("reflect", {}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "even"}),
    ("mean", {}),
    ("linear_ramp", {"end_values": 3}),
    ("no such mode", {}),
    ("edge", {"constant_values": 1}),
]


def described(library: Any, a: Any, width: Any, mode: Any, kwargs: Any) -> tuple[str, Any]:
    kind, value = outcome(lambda: library.pad(a, width, mode, **kwargs))
    if kind == "error":
        return kind, value
    value = plain(value)
    return kind, (value.dtype, value.shape, value.flags.fnc, value.tobytes())


@given(
    st.sampled_from(range(len(ARRAYS))), st.sampled_from(WIDTHS), st.sampled_from(range(len(MODES)))
)
def test_as_numpy(number: int, width: Any, mode: int) -> None:
    a = ARRAYS[number]
    own = hassium.array(a) if isinstance(a, numpy.ndarray) else a
    assert described(hassium, own, width, *MODES[mode]) == described(numpy, a, width, *MODES[mode])


@pytest.mark.parametrize("mode", ["constant", "edge", "empty", "reflect", "symmetric", "wrap"])
def test_copies_are_recorded(mode: str) -> None:
    x = hassium.array(numpy.arange(600.0).reshape(20, 30))
    hassium.flush()
    hassium.reset_stats()
    padded = hassium.pad(x, 2, mode)
    assert padded.shape == (24, 34)
    assert hassium.stats()["fallbacks"] == {}
    assert hassium.stats()["flushes"] == 0


def test_a_padded_grid_is_not_made() -> None:
    x = hassium.array(numpy.random.default_rng(1).random((50, 60)))
    with hassium.config(forward_copies="on", eager_elements=0):
        hassium.flush()
        hassium.reset_stats()
        p = hassium.pad(x, 1, mode="edge")
        y = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        del p
        hassium.flush()
        assert hassium.stats()["bytes_moved"] <= 6 * 50 * 60 * 8
    assert y.shape == (50, 60)
