"""Every kind of instruction that recording makes is one that verification knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import hassium as np

CASES: dict[str, Callable[[Any, Any], Any]] = {
    "argmax": lambda m, a: m.argmax(a),
    "argmin of rows": lambda m, a: m.argmin(a + 1.0, axis=1),
    "argmax, axis kept": lambda m, a: m.argmax(a, axis=0, keepdims=True),
    "sum": lambda m, a: (a * 2.0).sum(axis=0),
    "max and its rows": lambda m, a: a - a.max(axis=1, keepdims=True),
    "cumsum": lambda m, a: m.cumsum(a, axis=1),
    "cumprod of rows": lambda m, a: m.cumprod(a * 0.5, axis=0),
    "where": lambda m, a: m.where(a > 3.0, a, -a),
    "masked": lambda m, a: m.add(a, a, out=m.zeros(a.shape), where=a > 2.0),
    "divmod": lambda m, a: m.stack(m.divmod(a, 3.0)),
    "take": lambda m, a: a[:, m.array([3, 1, -1])] * 2.0,
    "mask": lambda m, a: a[a > 5.0] + 1.0,
    "matmul": lambda m, a: (a + 1.0) @ a.T,
    "arange": lambda m, a: m.arange(60.0) * 2.0,
    "parts of complex": lambda m, a: (a + 1j).imag + (a * 1j).real,
    "transpose": lambda m, a: (a + 1.0).T.copy(),
}


@pytest.mark.parametrize("executor", ["tile", "reference"])
@pytest.mark.parametrize("name", CASES)
def test_recorded_programs_are_valid(name: str, executor: str) -> None:
    source = numpy.arange(1200.0).reshape(40, 30) % 17.0
    with np.config(verify=True, executor=executor, eager_elements=0):
        result = numpy.asarray(CASES[name](np, np.array(source)))
    assert numpy.allclose(result, CASES[name](numpy, source), rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", CASES)
def test_dumps_can_be_read_again(name: str) -> None:
    a = np.array(numpy.arange(1200.0).reshape(40, 30))
    np.flush()
    with np.config(eager_elements=0), np.debug.capture() as flushes:
        result = CASES[name](np, a)
        np.flush()
    for flush in flushes:
        assert np.debug.dump(flush.program)["program"] == flush.program
    del result
