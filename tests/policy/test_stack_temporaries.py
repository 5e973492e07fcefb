"""Arrays that only the interpreter's stack refers to while a number is computed from them."""

from __future__ import annotations

import contextvars
import functools
import gc
import operator
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import _core

N = 100_000


def pending() -> Any:
    return np.arange(N) * 0.5 + 1.0


def test_an_argument_that_dies_is_not_stored() -> None:
    x = pending()
    np.flush()
    np.reset_stats()
    assert [np.sum(np.abs(x - 3.0)), np.add.reduce(x * 2.0), (x + 1.0).max()][0] > 0
    assert np.stats()["contracted"] == 4
    assert [(x + 1.0).argmax()] == [N - 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ((x - 3.0) ** 2).mean(),
        lambda x: np.mean((x - 3.0) ** 2),
        lambda x: np.linalg.norm(x - 3.0),
        lambda x: np.linalg.norm((x - 3.0).reshape(-1, 50)),
        lambda x: np.var(x),
        lambda x: x.std(),
        lambda x: np.nansum(x),
        lambda x: np.nanprod(x * 0.0 + 1.0),
        lambda x: np.einsum("i,i->", x, x),
        lambda x: np.einsum("ij,ij->", *[x.reshape(-1, 50)] * 2),
    ],
)
def test_arrays_on_the_way_to_a_number_are_not_stored(call: Callable[[Any], Any]) -> None:
    x = pending()
    np.flush()
    for _ in range(5):
        np.reset_stats()
        found = [call(x)]
        assert np.stats()["bytes_moved"] <= 2 * 8 * N + 200  # var and std read x twice
    assert found[0] == pytest.approx(call(numpy.asarray(x)))


@pytest.mark.parametrize("mean", [np.mean, _core.ndarray.mean])
def test_a_mean_of_what_lives_keeps_its_elements(mean: Any) -> None:
    x = pending()
    for _ in range(3):
        bound = (x + 3.0).mean
        assert [bound()] == [bound()]
        for held in (
            functools.partial(mean, x + 1.0),
            types.MethodType(mean, x + 2.0),
            types.GenericAlias(types.MethodType(mean, x + 2.0), ()),
            functools.partial(types.MethodType(mean, x + 2.0)),
        ):
            assert [held()] == [held()]
            assert [contextvars.copy_context().run(held)] == [held()]
            assert [*map(operator.call, [held, held])] == [held(), held()]
        arguments = (x + 1.0,)
        assert [mean(*arguments)] == [mean(*arguments)]
        listed = [x + 4.0]
        watched = weakref.ref(listed[0])
        assert [mean(listed.pop())][0] > 0
        assert watched() is None


def test_an_argument_that_lives_keeps_its_elements() -> None:
    x = pending()
    arguments = (x + 1.0,)
    assert [np.sum(*arguments)] == [np.sum(*arguments)]
    assert arguments[0][1] == 2.5
    named = x + 2.0
    assert [named.sum()][0] > 0
    assert named[1] == 3.5
    bound = (x + 3.0).sum
    assert [bound()] == [bound()]
    listed = [x + 4.0]
    watched = weakref.ref(listed[0])
    assert [np.sum(listed.pop())][0] > 0
    gc.collect()
    assert watched() is None


def test_an_argument_that_a_partial_call_holds_keeps_its_elements() -> None:
    """It stands among those on the stack for as long as the call takes."""
    x = pending()
    for function in (np.sum, np.add.reduce, _core.ndarray.sum, np.max):
        held = functools.partial(function, x + 1.0)
        assert [held(None)] == [held(None)] == [held(axis=None)]
        assert [1, held(None)] == [1, function(held.args[0], None)]
        method = types.MethodType(held, 0)  # the axis
        assert [function, method()] == [function, method()]
        alias = types.GenericAlias(types.MethodType(function, x + 2.0), ())
        assert [alias(None)] == [alias(None)]
        bound = types.MethodType(function, x + 3.0)
        assert [contextvars.copy_context().run(bound, None)] == [bound(None)]


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i4", "?", "c16"])
@pytest.mark.parametrize("shape", [(1,), (1024,), (1025,), (3000,), (40, 50), (2, 3, 500), ()])
@pytest.mark.parametrize("name", ["mean", "linalg.norm"])
def test_pending_and_finished_arrays_give_the_same_bits(
    name: str, shape: tuple[int, ...], dtype: str
) -> None:
    numbers = numpy.random.default_rng(4).integers(0, 3, shape)
    x = np.array(numbers.astype(dtype) / numpy.ones((), dtype))
    call = operator.attrgetter(name)
    np.flush()
    finished = [call(np)(x)]
    pending_too = [call(np)(+x), call(np)((+x)[...])]
    expected = call(numpy)(numpy.asarray(x))
    for found in finished + pending_too:
        assert type(found) is type(expected)
        assert found == pytest.approx(expected, rel=2e-3 if dtype == "f2" else 1e-6)
        assert found.tobytes() == finished[0].tobytes()
