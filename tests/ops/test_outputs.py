"""What functions and methods take as `out`, and the errors about it, against NumPy."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hassium as hs

Call = Callable[[Any, Any], Any]
# Each gives three elements.
CALLS: dict[str, Call] = {
    "add": lambda m, out: m.add(m.ones(3), 1, out=out),
    "add by position": lambda m, out: m.add(m.ones(3), 1, out),
    "sin": lambda m, out: m.sin(m.ones(3), out=out),
    "reduce": lambda m, out: m.add.reduce(m.ones((3, 3)), out=out),
    "reduce by position": lambda m, out: m.add.reduce(m.ones((3, 3)), 0, None, out),
    "accumulate": lambda m, out: m.add.accumulate(m.ones(3), out=out),
    "accumulate by position": lambda m, out: m.add.accumulate(m.ones(3), 0, None, out),
    "reduceat": lambda m, out: m.add.reduceat(m.ones(3), [0, 1, 2], out=out),
    "outer": lambda m, out: m.add.outer(m.ones(3), 1, out=out),
    "dot": lambda m, out: m.dot(m.ones((3, 3)), m.ones(3), out=out),
    "matmul": lambda m, out: m.matmul(m.ones((3, 3)), m.ones(3), out=out),
    "take": lambda m, out: m.take(m.ones(3), [0, 1, 2], out=out),
    "clip": lambda m, out: m.clip(m.ones(3), 0, 1, out=out),
    "round": lambda m, out: m.round(m.ones(3), 1, out=out),
    "round to integers": lambda m, out: m.ones(3).round(out=out),
    "choose": lambda m, out: m.choose([0, 0, 0], [m.ones(3)], out=out),
    "compress": lambda m, out: m.compress([1, 1, 1], m.ones(3), out=out),
    "concatenate": lambda m, out: m.concatenate([m.ones(1), m.ones(2)], out=out),
    "stack": lambda m, out: m.stack([1.0, 2, 3], out=out),
    "einsum": lambda m, out: m.einsum("ij,j->i", m.ones((3, 3)), m.ones(3), out=out),
    "cumsum": lambda m, out: m.cumsum(m.ones(3), out=out),
    "cumulative_sum": lambda m, out: m.cumulative_sum(m.ones(3), out=out),
    "trace": lambda m, out: m.trace(m.ones((3, 3, 3)), out=out),
    "isposinf": lambda m, out: m.isposinf(m.ones(3), out=out),
    "isneginf": lambda m, out: m.isneginf(m.ones(3), out=out),
    "fix": lambda m, out: m.fix(m.ones(3), out=out),
    "percentile": lambda m, out: m.percentile(m.ones((3, 3)), 50, axis=0, out=out),
    "nansum": lambda m, out: m.nansum(m.ones((3, 3)), axis=0, out=out),
    **{
        name: lambda m, out, name=name: getattr(m, name)(m.ones((3, 3)), axis=0, out=out)  # type: ignore[misc]
        for name in ("sum", "prod", "mean", "var", "std", "max", "all", "ptp", "median", "argmax")
    },
    **{
        f"method {name}": lambda m, out, name=name: getattr(m.ones((3, 3)), name)(axis=0, out=out)  # type: ignore[misc]
        for name in ("sum", "mean", "var", "min", "any", "argmin", "cumprod")
    },
}


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


OUTPUTS: dict[str, Callable[[Any], Any]] = {
    "NumPy's": lambda m: np.empty(3),
    "tuple": lambda m: (m.empty(3),),
    "tuple of integers": lambda m: (m.empty(3, int),),
    "tuple of two": lambda m: (m.empty(3), m.empty(3)),
    "empty tuple": lambda m: (),
    "tuple of None": lambda m: (None,),
    "list": lambda m: [m.empty(3)],
    "number": lambda m: 3.0,
    "read-only": lambda m: read_only(m.empty(3)),
    "read-only integers": lambda m: read_only(m.empty(3, int)),
    "read-only of another shape": lambda m: read_only(m.empty(4)),
    "float32": lambda m: m.empty(3, "f4"),
    "integers": lambda m: m.empty(3, int),
    "int32": lambda m: m.empty(3, "i4"),
    "bools": lambda m: m.empty(3, bool),
    "another shape": lambda m: m.empty(4),
    "integers of another shape": lambda m: m.empty(4, int),
    "another rank": lambda m: m.empty((1, 3)),
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("call", CALLS)
def test_outputs_as_numpy(call: str, output: str) -> None:
    if output == "read-only":
        with contextlib.suppress(Exception):
            CALLS[call](np, OUTPUTS[output](np))
            pytest.skip("this NumPy writes to read-only memory")

    def outcome(m: Any) -> Any:
        out = OUTPUTS[output](m)
        try:
            found = CALLS[call](m, out)
        except Exception as error:
            return type(error).__name__
        assert type(out) not in (hs.ndarray, np.ndarray) or found is out
        return np.asarray(found).tolist(), np.asarray(found).dtype

    assert outcome(hs) == outcome(np)


@pytest.mark.parametrize("name", ["var", "std"])
def test_methods_take_no_correction(name: str) -> None:
    for m in (hs, np):
        assert float(getattr(m, name)(m.arange(5.0), correction=1)) > 1.5
        with pytest.raises(TypeError, match=rf"_{name}\(\) got an unexpected keyword argument"):
            getattr(m.arange(5.0), name)(correction=1)
