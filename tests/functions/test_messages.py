"""Messages of errors are NumPy's: no name of an operation stands before them."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import hassium

CALLS = (
    "np.ones(2) + np.ones(3)",
    "np.ones((2, 3)).reshape(5)",
    "np.ones((2, 3)) @ np.ones((2, 3))",
    "np.ones((2, 3)).transpose(0)",
    "np.ones((2, 3)).squeeze(0)",
    "np.ones(3)[4]",
    "np.ones(3)[0, 0]",
    "np.concatenate([np.ones(2), np.ones((2, 2))])",
    "np.concatenate([])",
    "np.concatenate([np.array(1.0), np.ones(2)])",
    "np.add(np.ones(2), 1, out=np.ones(3))",
    "np.add(np.ones(2), 1, out=np.ones(2, int))",
    "np.maximum.reduce(np.ones(0))",
    "np.arange(3) ** -1",
    "np.moveaxis(np.ones((2, 2)), [0, 1], [0])",
    "np.delete(np.arange(3), 9)",
    "np.broadcast_to(np.ones(3), (2, 2))",
    "np.argmax(np.ones(0))",
    "np.roll(np.ones(3), [1, 2, 3], [0, 0])",
    "np.ones(2).item()",
    "np.ones(2)[..., ...]",
    "np.ones(2)['x']",
    "np.ones(2)[[0.5]]",
    "np.ones(2)[[True, False, True]]",
    "np.ones((2, 2))[[0, 1], [0, 1, 1]]",
    "np.ones(2)[[3]]",
    "np.ones(2)[(None,) * 64]",
    "np.ones(2).__setitem__(3, 1)",
    "np.ones(2).__setitem__(slice(None), np.ones(3))",
    "np.ones(5).__setitem__(..., np.ones((1, 3)))",
    "np.ones(5).__setitem__(0, np.ones((1, 3)))",
    "np.ones((1, 3)).__setitem__(0, np.ones((1, 1, 2, 3)))",
    "np.copyto(np.ones(5), np.ones((1, 3)), where=np.ones(5, bool))",
    "np.ones(2).reshape(-1, -1)",
    "np.broadcast_to(1.0, 2).__setitem__(0, 1)",
    "np.broadcast_to(1.0, 2).fill(1)",
    "np.zeros(None)",
    "np.ones((3, 3))[0:1.5, 1.5]",
    "np.ones((3, 3))[0:1.5]",
    "np.ones((2, 2)).transpose(axes=(1, 0))",
    "np.ones((2, 2)).swapaxes(axis1=0, axis2=1)",
    "np.ones((2, 2)).conjugate(out=None)",
    "np.ones(2).fill(value=1)",
    "np.ones(3).take([0], out=[1.0])",
    "np.compress([1], np.ones(3), out=[1.0])",
    "np.broadcast_to(1.0, 2).__iadd__(1)",
    "np.broadcast_to(1.0, 2).__ipow__(2)",
    "np.ones(24).reshape(-1, 5)",
    "np.ones(24).reshape(5, -1, 7)",
    "np.ones(24).reshape(-1, 5, 7)",
    "np.ones(24).reshape(7)",
    "np.ones(24).reshape(())",
    "np.repeat(np.ones(2), -1)",
    "np.put(np.broadcast_to(1.0, 2), [0], 1)",
    "np.put(np.broadcast_to(1.0, 2), [], [])",
    "np.put(np.broadcast_to(1.0, 2), [5], 'a')",
    "np.broadcast_to(1.0, 0).put([0], 1j)",
    "np.putmask(np.broadcast_to(1.0, 2), [True, True], 1.5)",
    "np.putmask(np.broadcast_to(1.0, 2), np.ones(2, bool), 1.5)",
    "np.putmask(np.broadcast_to(1.0, 2), [True], 1j)",
    "np.putmask(np.broadcast_to(1.0, 0), [], [])",
    "np.putmask(np.ones((3, 4), bool).diagonal(), [False] * 3, np.full(3, 2))",
    "np.repeat(np.ones(2), [-1, 2])",
    "np.fft.fft(np.ones(2), 2, n=2)",
    "np.fft.fft2(np.ones((2, 2)), z=2)",
)


@pytest.mark.parametrize("call", CALLS)
def test_messages_are_numpys(call: str) -> None:
    def refused(np: Any) -> tuple[type[BaseException], str]:
        with pytest.raises((ValueError, TypeError, IndexError, DeprecationWarning)) as caught:
            eval(call, {"np": np})
        return caught.type, str(caught.value)

    theirs, ours = refused(numpy), refused(hassium)
    assert ours[0].__name__ == theirs[0].__name__
    assert ours[1] == theirs[1]
