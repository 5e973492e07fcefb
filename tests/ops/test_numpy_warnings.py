"""Warnings that NumPy gives, once each and under the errstate of the line that they are of."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest

import hassium as hs


def warned(line: str, m: Any) -> list[tuple[type, str]]:
    """What is told of a line in which `x` and `y` hold infinities and zeros, after its values."""
    x, y = m.array([[m.inf, 1.0]]), m.array([[0.0, 1.0]])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        exec(line, {"m": m, "x": x, "y": y})
    return [(one.category, str(one.message)) for one in told]


@pytest.mark.parametrize(
    "line",
    [
        "m.vecdot(x, y).tolist()", "m.vecdot(x, y, axis=0).tolist()", "m.matvec(x, y[0]).tolist()",
        "m.vecmat(x[0], y.T).tolist()", "m.matmul(x[None], y.T[None]).tolist()",
        "m.matmul(x, y.T).tolist()", "m.matmul(x[:, :1], y[:, :1].astype('f4')).tolist()",
    ],
)  # fmt: skip
def test_products_tell_of_a_condition_once(line: str) -> None:
    assert warned(line, hs) == warned(line, np)


@pytest.mark.parametrize("call", ["vecdot(x, y)", "matmul(x, y.swapaxes(1, 2))"])
def test_products_have_the_errstate_of_their_line(call: str) -> None:
    x, y = hs.full((99, 40, 40), hs.inf), hs.zeros((99, 40, 40))
    with hs.errstate(invalid="ignore"):
        quiet = eval(call, {**vars(hs), "x": x, "y": y})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(quiet.tolist()).all()
    with pytest.warns(RuntimeWarning, match="invalid"):  # the end of the block runs it
        told = eval(call, {**vars(hs), "x": x + 1, "y": y})
    assert np.isnan(told.tolist()).all()


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
@pytest.mark.parametrize("pair", [(np.inf, 0.0), (np.nan, 1.0), (3e4, 3e4)], ids=str)
def test_vdot_tells_of_nothing(pair: tuple[float, float], dtype: str) -> None:
    x, y = (np.full(3, value, dtype) for value in pair)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, expected = hs.vdot(hs.array(x), hs.array(y)), np.vdot(x, y)
        assert str(found.item()) == str(expected.item())


@pytest.mark.parametrize(
    "line",
    [
        "m.maximum(x, y, m.empty((1, 2)))", "m.minimum(x, y, m.empty((1, 2)))",
        "m.maximum(x, y, out=m.empty((1, 2)))", "m.fmax(x, y, m.empty((1, 2)))",
        "x.strides = x.strides", "x.shape = (2, 1)",
    ],
)  # fmt: skip
def test_deprecations(line: str) -> None:
    assert warned(line, hs) == warned(line, np)


@pytest.mark.parametrize("line", ["m.maximum(x, y, z)", "z.strides = (8, 8)"])
def test_a_deprecation_that_is_an_error_changes_nothing(line: str) -> None:
    def outcome(m: Any) -> Any:
        z = m.zeros((1, 2))
        with warnings.catch_warnings(), contextlib.suppress(DeprecationWarning):
            warnings.simplefilter("error")
            exec(line, {"m": m, "x": m.ones((1, 2)), "y": m.ones((1, 2)), "z": z})
        return z.tolist(), z.strides

    assert outcome(hs) == outcome(np)


@pytest.mark.parametrize(
    "line",
    [
        "u.flags.writeable", "u.flags['W']", "u.flags.behaved", "u.flags.aligned", "u.flags.num",
        "u[0] = 1; u[1] = 2", "u += v", "m.add(u, 1, out=u)", "m.copyto(u, 1)", "u.fill(1)",
        "u.flat[0] = 1", "u.real = 1", "u.T[0] = 1", "u[0].flags.writeable", "u.copy()[0] = 1",
        "u.setflags(write=True); u[0] = 1", "u.flags.writeable = False; u.flags.writeable",
        "v[0] = 1", "m.broadcast_arrays(x)[0][0] = 1", "(u + 1)[0] = 1",
        "m.meshgrid(x[0], y[0], copy=False)[0][0] = 1", "m.meshgrid(x[0], y[0])[0][0] = 1",
    ],
)  # fmt: skip
def test_views_of_broadcast_arrays_tell_of_a_write(line: str) -> None:
    given = "x = m.arange(2.0); u, v = m.broadcast_arrays(x, m.ones((2, 2))); x = x[None]; "
    assert warned(given + line, hs) == warned(given + line, np)


def test_a_write_that_is_told_of_as_an_error_is_none() -> None:
    u, _ = hs.broadcast_arrays(hs.zeros(2), hs.ones((2, 2)))
    for write in ("u += 1", "u[0] = 1", "hs.add(u, 1, out=u)", "u.fill(1)"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(DeprecationWarning, match="overlapping memory"):
                exec(write, {"hs": hs, "u": u})
        assert not u.any()


def test_private_flags_of_views() -> None:
    a = hs.ones(2)
    with pytest.raises(ValueError, match="private flag"):
        a.flags._warn_on_write = False
    a.flags.writeable = False
    with pytest.raises(ValueError, match="'writable' is False"):
        a.flags._warn_on_write = True
    assert not a.flags._writeable_no_warn
