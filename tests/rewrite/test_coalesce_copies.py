"""An array that is copied into its place in another one is computed there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np
from hassium import debug
from rewrite.temporaries import Code, N, bytes_moved, data, f

pytestmark = pytest.mark.usefixtures("cold_cache")

Steps = Callable[[Any, Any, Any, Any], None]


def ring(xp: Any, m: Any) -> Any:
    """A matrix between its own last and first rows and columns."""
    t = f(xp, m)
    out = xp.empty((402, 402))
    out[1:-1, 1:-1] = t
    out[0, 1:-1], out[-1, 1:-1] = t[-1], t[0]
    out[1:-1, 0], out[1:-1, -1] = t[:, -1], t[:, 0]
    out[::401, ::401] = t[::399, ::399]
    return out


def in_order(xp: Any, t: Any) -> Any:
    """Written in two steps, copied, and read again."""
    t += 1.0
    out = xp.empty(2 * N)
    out[10:100], out[100 + N : -N // 4] = 0.0, 1.0
    out[:10] = t[:10]
    out[100 : 100 + N] = t
    out[-N // 4 :] = t[: N // 4] * 2
    return out


def both(xp: Any, x: Any) -> Any:
    """Two arrays side by side in one."""
    a, b = x * 2, x - 1
    out = xp.empty((2, N + 1))
    out[0, :-1], out[1, 1:] = a, b
    out[0, -1:], out[1, :1] = a[7:8], b[-7:-6]
    return out


# Programs over x of N elements and m of 400 x 400, and the arrays of N elements that they may move.
COALESCED: dict[str, tuple[Code, float]] = {
    "edges": (lambda xp, x, m: xp.pad(f(xp, m), 2, mode="edge"), 2.2),
    "reflected": (lambda xp, x, m: xp.pad(f(xp, m), 3, mode="reflect"), 2.2),
    "wrapped": (lambda xp, x, m: xp.pad(f(xp, x), 9, mode="wrap"), 2.2),
    "ring": (lambda xp, x, m: ring(xp, m), 2.2),
    "in order": (lambda xp, x, m: in_order(xp, x * 2), 5.0),
    "both": (lambda xp, x, m: both(xp, x), 4.2),
}


@pytest.mark.parametrize("name", COALESCED)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_array_is_stored_once(name: str, threads: int) -> None:
    code, arrays = COALESCED[name]
    assert bytes_moved(code, data(), "coalesce_copies", threads) <= arrays * 8 * N


def overwritten(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N] = t
    out[5:9] = 3.0
    out[-9:] = t[:9]


def read_before(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[-9:] = out[3:12]
    out[:N] = t
    out[-20:-11] = t[:9]


def written_before(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[3:12] = x[:9]
    out[:N] = t
    out[-9:] = t[:9]


def written_later(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N] = t
    t[:5] = x[5:10]
    out[-9:] = t[:9]


def twice(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N] = t
    out[N // 2 : N // 2 + N] = t
    out[-9:] = t[:9]


def over_another(xp: Any, x: Any, t: Any, out: Any) -> None:
    other = x * 3
    out[:N] = t
    out[9 : N + 9] = other
    out[-9:] = t[:9] + other[:9]


def summed(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N] = t
    out[-1] = t.sum()


def cast(xp: Any, x: Any, t: Any, out: Any) -> None:
    out.view("i8")[:N] = t
    out[-9:] = t[:9]


def reversed_place(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[N - 1 :: -1] = t
    out[-9:] = t[:9]


def spread(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[: 2 * N : 2] = t
    out[-9:] = t[:9]


def in_part(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[: N - 3] = t[3:]
    out[-9:] = t[:9]


def transposed(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N].reshape(400, 400)[...] = t.reshape(400, 400).T
    out[-9:] = t[:9]


def repeated(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[: 2 * N].reshape(2, N)[...] = t
    out[-9:] = t[:9]


def moved_on(xp: Any, x: Any, t: Any, out: Any) -> None:
    middle = xp.empty(N + 4)
    middle[2:-2] = t
    middle[:2], middle[-2:] = t[:2], t[-2:]
    out[: N + 4] = middle
    out[-9:] = middle[:9] + t[:9]


def moved_on_with_its_rims(xp: Any, x: Any, t: Any, out: Any) -> None:
    middle = xp.empty(N + 4)
    middle[2:-2] = t
    xp.multiply(t[:2], 2, out=middle[:2])
    xp.multiply(t[-2:], 3, out=middle[-2:])
    out[: N + 4] = middle
    out[-9:] = middle[:9] + 1


def by_other_views(xp: Any, x: Any, t: Any, out: Any) -> None:
    out[:N] = t
    out[-N:].reshape(400, 400)[:] = t.reshape(400, 400)[::-1] + t[:400]


STEPS: list[Steps] = [
    overwritten, read_before, written_before, written_later, twice, over_another, summed, cast,
    reversed_place, spread, in_part, transposed, repeated, moved_on, moved_on_with_its_rims,
    by_other_views,
]  # fmt: skip


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: steps.__name__)
@pytest.mark.parametrize("masked", [False, True])
def test_what_others_touch_keeps_its_values(steps: Steps, masked: bool) -> None:
    def code(xp: Any, x: Any, m: Any) -> Any:
        t = x * 2 + 1
        if masked:
            xp.sqrt(x, out=t, where=x > 0.5)
        out = xp.zeros(3 * N)
        steps(xp, x, t, out)
        return out

    with np.config(verify=True):
        bytes_moved(code, data(), "coalesce_copies", 1)


def test_the_copy_is_omitted() -> None:
    m = np.array(data()[1])
    np.flush()
    with debug.capture() as flushes:
        result = np.pad(m * 2, 1, mode="edge")
    (flush,) = (flush for flush in flushes if flush.rewrites)
    dumps = dict(flush.rewrites)
    recorded, coalesced = dumps["recorded"], dumps["coalesce_copies"]
    assert recorded.count("\ncopy ") == coalesced.count("\ncopy ") + 1
    numpy.testing.assert_array_equal(result, numpy.pad(data()[1] * 2, 1, mode="edge"))
