"""Of a temporary only those elements are computed that something reads."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug
from rewrite.temporaries import Code, N, bytes_moved, data, f

pytestmark = pytest.mark.usefixtures("cold_cache")


# Programs over x of N elements and m of 400 x 400, and the share of N elements that they may move,
# in and out.
READ_IN_PARTS: dict[str, tuple[Code, float]] = {
    "slice": (lambda xp, x, m: f(xp, x)[5:1000], 0.1),
    "block": (lambda xp, x, m: f(xp, m)[100:120, 50:90], 0.1),
    "column": (lambda xp, x, m: f(xp, m)[:, 7], 0.1),
    "row": (lambda xp, x, m: f(xp, m)[-3], 0.1),
    "steps": (lambda xp, x, m: f(xp, x)[3::7], 0.4),
    "reversed steps": (lambda xp, x, m: f(xp, x)[-3:100:-9], 0.4),
    "transposed block": (lambda xp, x, m: f(xp, m).T[10:20, ::3], 0.1),
    "over the ends of rows": (lambda xp, x, m: f(xp, m).ravel()[150:1000], 0.1),
    "reshaped": (lambda xp, x, m: f(xp, x).reshape(100, 1600)[3:5, 7:], 0.1),
    "of a reversed operand": (lambda xp, x, m: f(xp, x[::-1])[20:30], 0.1),
    "of a transposed operand": (lambda xp, x, m: f(xp, m.T)[20:30, 5], 0.1),
    "of a broadcast operand": (lambda xp, x, m: f(xp, m + m[0])[20:30, 5:9], 0.1),
    "an outer product": (lambda xp, x, m: (m[0][:, None] * m[:, 1])[3:9, 4:], 0.2),
    "broadcast": (lambda xp, x, m: xp.broadcast_to(f(xp, x)[:7], (5, 7)), 0.1),
    "a sum of rows": (lambda xp, x, m: f(xp, m)[:20].sum(axis=1), 0.3),
    "a maximum": (lambda xp, x, m: f(xp, x)[100:300].max(), 0.1),
    "a scan": (lambda xp, x, m: xp.cumsum(f(xp, x)[100:300]), 0.1),
    "of other dtypes": (lambda xp, x, m: (x > 0.5)[10:90], 0.1),
    "two apart": (lambda xp, x, m: (lambda t: t[:50] - t[-50:])(f(xp, x)), 0.1),
    "two that meet": (lambda xp, x, m: (lambda t: t[1:50] - t[:49])(f(xp, x)), 0.1),
    "a part of a part": (lambda xp, x, m: f(xp, f(xp, x)[100:900])[5:10], 0.1),
    "in place": (lambda xp, x, m: in_place(xp, x)[5:1000], 0.2),
    "real parts": (lambda xp, x, m: (x * (1 + 2j)).imag[70:90], 0.1),
    "nothing": (lambda xp, x, m: f(xp, x)[7:7], 2.1),
}


def in_place(xp: Any, x: Any) -> Any:
    t = x * 2
    t += x
    xp.sqrt(t, out=t)
    return t


@pytest.mark.parametrize("name", READ_IN_PARTS)
@pytest.mark.parametrize("threads", [1, 2])
def test_nothing_else_is_computed(name: str, threads: int) -> None:
    code, share = READ_IN_PARTS[name]
    moved = bytes_moved(code, data(), "infer_bounds", threads)
    assert moved <= share * 8 * N


KEPT: dict[str, Code] = {
    "by a name": lambda xp, x, m: (lambda t: [t[5:1000], t])(f(xp, x)),
    "by a list": lambda xp, x, m: (lambda t: [t[5:1000], [t][0]])(f(xp, x)),
    "by an iterator": lambda xp, x, m: (lambda t: [t[5:9], t.flat])(f(xp, x)),
    "by most of it": lambda xp, x, m: [f(xp, x)[5:]],
    "by two halves": lambda xp, x, m: (lambda t: [t[: N // 2], t[N // 2 :]])(f(xp, x)),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_is_computed(name: str) -> None:
    x, m = data()
    own = [np.array(part) for part in data()]
    with np.errstate(all="ignore"):
        results = KEPT[name](np, *own)
        np.flush()
    for a, b in zip(results, KEPT[name](numpy, x, m), strict=True):
        numpy.testing.assert_allclose(numpy.array(list(a)), numpy.array(list(b)), rtol=1e-13)


def test_views_of_a_temporary_own_their_elements() -> None:
    x = np.array(data()[0])
    part = f(np, x)[5:1000]
    assert part.base.shape == (N,)
    np.flush()
    assert part.base is None
    assert part.flags.owndata
    inner = part[10:20]
    assert inner.base is part
    assert np.shares_memory(inner, part)
    part[12] = 7
    assert inner[2] == 7


def test_views_of_one_temporary_share_memory() -> None:
    x = np.array(data()[0])
    t = f(np, x)
    a, b = t[5:1000], t[900:1100]
    del t
    np.flush()
    assert np.shares_memory(a, b)
    a[-1] = 7
    assert b[99] == 7


def test_a_parent_that_is_asked_for_is_computed() -> None:
    x = np.array(data()[0])
    part = f(np, x)[5:1000]
    whole = part.base
    np.flush()
    numpy.testing.assert_allclose(numpy.asarray(whole), f(numpy, data()[0]), rtol=1e-13)
    assert part.base is whole


def test_strides_lead_to_no_element_that_was_not_computed() -> None:
    as_strided = np.lib.stride_tricks.as_strided
    part = f(np, np.array(data()[0]))[100:1900:2]
    np.flush()
    assert as_strided(part, (450,), (32,)).shape == (450,)
    assert as_strided(part[::3], (900,), (16,)).tobytes() == part.tobytes()
    assert numpy.asarray(part)[::-2].reshape(9, -1).shape == (9, 50)
    for shape, strides in [((901,), (16,)), ((3, 900), (16, 16)), ((9,), (8,))]:
        with pytest.raises(ValueError, match="available memory"):
            as_strided(part, shape, strides)


def test_operands_may_be_overwritten_afterwards() -> None:
    x = np.array(data()[0])
    part = f(np, x)[5:1000]
    x[:] = 3
    np.flush()
    numpy.testing.assert_allclose(numpy.asarray(part), f(numpy, data()[0])[5:1000], rtol=1e-13)


def divided(xp: Any) -> Any:
    return (1.0 / xp.arange(float(N)))[5:1000].sum()


def caught(**modes: str) -> list[str]:
    with np.errstate(**modes), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        divided(np)
    return [str(w.message) for w in seen]


def test_elements_that_nothing_reads_raise_no_condition() -> None:
    assert caught(divide="warn", over="warn", under="ignore", invalid="warn") == []
    assert caught(all="ignore") == []


def test_another_errstate_that_reports_keeps_all_elements() -> None:
    assert caught(all="warn") == ["divide by zero encountered in divide"]
    with pytest.raises(FloatingPointError), np.errstate(divide="raise"):
        divided(np)
    seen: list[str] = []
    with np.errstate(divide="call", call=lambda kind, flag: seen.append(kind)):
        divided(np)
    assert seen == ["divide by zero"]


def test_the_pass_has_a_switch() -> None:
    x = np.array(data()[0])
    with np.config(infer_bounds="off"):
        before = np.stats()["bytes_moved"]
        part = f(np, x)[5:1000]
        np.flush()
        assert np.stats()["bytes_moved"] - before >= 16 * N
        assert part.base is not None


def test_arrays_of_other_ranks_with_the_same_parts_have_plans_of_their_own() -> None:
    """A part of a vector and of a flattened matrix become the same instructions."""
    x, m = (np.array(part) for part in data())
    wanted = f(numpy, data()[0])
    for n in (300, 310, 320):
        vector, matrix = f(np, x)[5:n], f(np, m * 2).ravel()[5 : n + 5]
        np.flush()
        numpy.testing.assert_allclose(numpy.asarray(vector), wanted[5:n], rtol=1e-13)
        numpy.testing.assert_allclose(numpy.asarray(matrix), wanted[5 : n + 5], rtol=1e-13)
        alone = f(np, m * 2).ravel()[5:n]
        np.flush()
        numpy.testing.assert_allclose(numpy.asarray(alone), wanted[5:n], rtol=1e-13)
        again = f(np, x * 1)[5:n]
        np.flush()
        numpy.testing.assert_allclose(numpy.asarray(again), wanted[5:n], rtol=1e-13)


def test_a_sync_names_a_view_in_the_text_form() -> None:
    text = "base a float64 12 input\nbase t float64 12\nadd t a 1.0\nsync t[2+(3:2)]\n"
    assert "sync b1[2+(3:2)]" in debug.dump(text)["program"]
    with pytest.raises(ValueError, match="outside its base"):
        debug.dump(text.replace("2+(3", "9+(3"))
    with pytest.raises(ValueError, match="sync NAME or sync VIEW"):
        debug.dump(text.replace("sync t", "sync a t"))
