"""Warnings name the line of the operation that raised, with NumPy's text, once a line.

Each program runs as a file of its own with NumPy and with hassium; every warning is compared by
category, text, file and line.
"""

from __future__ import annotations

import sys
import types
import warnings
from typing import Any

import numpy
import pytest

import hassium

SIZE = 5000  # more than runs at the call


def told(source: str, m: Any, action: str = "default") -> list[tuple[type, str, str, int]]:
    """The warnings of a program in a module of its own, run twice."""
    module = types.ModuleType(f"lines_of_{m.__name__}")
    flush = getattr(m, "flush", lambda: None)
    vars(module).update(np=m, a=m.ones(SIZE), z=m.zeros(SIZE), flush=flush)
    sys.modules[module.__name__] = module
    code = compile(source, "program.py", "exec")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        for _ in range(2):
            exec(code, vars(module))
    del sys.modules[module.__name__]
    return [(w.category, str(w.message), w.filename, w.lineno) for w in caught]


PROGRAMS = {
    "three faulty lines": "b = a / 0\nc = np.log(-a)\nd = np.sqrt(-a)\ns = b + c + d\n",
    "one faulty line of three": "b = a * 2\nc = b / z\nd = c + 1\n",
    "one condition in two lines": "b = a / z\nc = np.log(z)\nd = b + c\n",
    "two conditions in one line": "b = a / z + z / z\n",
    "in a function": "def f(x):\n    return x / z\n\n\nb = f(a) + f(a + 1)\n",
    "in a loop": "for k in range(3):\n    b = np.log(z - k)\n    c = b * a\n",
    "reductions": "b = np.add.reduce(a * 1e308)\nc = np.multiply.reduce(a * 1e300)\n",
    "accumulations": "b = np.add.accumulate(a * 1e306)\nc = b - 1.0\n",
    "casts": "b = (a * 1e300).astype('f4')\nc = (a * np.inf).astype('i4')\n",
    "integers": "k = np.arange(9000)\nb = k // 0\nc = k % 0\n",
    "a store over what was read": "x = a.copy()\nx /= z\ny = np.log(-a)\ny += 1\n",
    "into memory that is there": (
        "x = a + 1\ny = z + 1\nnp.divide(a, z, out=x)\nnp.log(z, out=y)\nb = x + y\n"
    ),
    "a store over what is read at once": (
        "x = a + 0\nx[::2] = 0\nb = z + 0\nb[::3] = 1\nflush()\nx /= b\nx = b // x\n"
    ),
    "a store over what was there": (
        "x = a + 0\ny = a + 0\nflush()\nx /= y\ny = x - 2\ny = np.log(y)\n"
    ),
    "stores over nan and infinity": (
        "x = a * np.inf\ny = a * np.nan\nflush()\nx /= a\ny *= a\nb = np.log(z)\nc = np.log(-a)\n"
    ),
    "parts of an array": (
        "x = a + 1\nx[1:] = a[1:] / z[1:]\nx[:1] = np.log(z[:1])\nb = x * 2\n"
    ),
    "errstate of a line": (
        "with np.errstate(divide='ignore'):\n    b = a / z\nc = np.log(z)\nd = b + c\n"
    ),
    "small arrays": "b = a[:3] / 0\nc = np.log(-a[:3])\n",
    "a masked operation": "b = np.divide(a, z, out=z.copy(), where=a > 0)\nc = np.log(z)\n",
    "rows": "x = np.ones((60, 70))\nb = x / x.sum(axis=0) / 0\nc = np.log(b - np.inf)\n",
}  # fmt: skip


@pytest.mark.parametrize("action", ["default", "always"])
@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_as_numpy_reports(source: str, action: str) -> None:
    expected = told(source, numpy, action)
    assert expected
    assert told(source, hassium, action) == expected


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_the_reference_executor_reports_the_same(source: str) -> None:
    with hassium.config(executor="reference"):
        assert told(source, hassium) == told(source, numpy)


def test_functions_written_in_python_report_the_line_of_their_caller() -> None:
    source = "b = np.mean(a * 1e308) + 0.0\nc = np.var(a * 1e308) + 0.0\n"
    assert {(file, line) for _, _, file, line in told(source, hassium)} == {
        ("program.py", 1), ("program.py", 2),
    }  # fmt: skip


def test_the_filters_of_a_block_are_those_of_what_it_recorded() -> None:
    a = hassium.ones(SIZE)
    with warnings.catch_warnings(record=True) as outside:
        warnings.simplefilter("always")
        before = a / 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inside = hassium.log(-a)
        assert [str(w.message) for w in outside] == ["divide by zero encountered in divide"]
    assert len(outside) == 1
    assert numpy.isinf(before.tolist()).all()
    assert numpy.isnan(inside.tolist()).all()


def test_pytest_warns(recwarn: pytest.WarningsRecorder) -> None:
    a = hassium.ones(SIZE)
    with pytest.warns(RuntimeWarning, match=r"^divide by zero encountered in divide$") as seen:
        b = a / 0
    assert [w.filename for w in seen] == [__file__]
    with pytest.warns(RuntimeWarning, match=r"^invalid value encountered in subtract$"):
        c = b - b
    assert numpy.isnan(c.tolist()).all()
    assert not recwarn.list


def test_nothing_that_cannot_warn_is_run_by_a_block() -> None:
    k = hassium.arange(SIZE)
    hassium.flush()
    hassium.reset_stats()
    with warnings.catch_warnings():
        k = k + 1
    assert hassium.stats()["flushes"] == 0
    assert int(k[0]) == 1


@pytest.mark.parametrize("mode", ["call", "log"])
def test_handlers_are_called_under_their_own_errstate(mode: Any) -> None:
    seen: list[object] = []

    class Log:
        def write(self, text: str) -> None:
            seen.append(text)

    handler: Any = Log() if mode == "log" else lambda *args: seen.append(args)
    a = hassium.ones(SIZE)
    with hassium.errstate(divide=mode, call=handler):
        a / 0
    text = "Warning: divide by zero encountered in divide\n"
    assert seen == [text if mode == "log" else ("divide by zero", 1)]


@pytest.mark.parametrize("size", [3, SIZE])
def test_handlers_get_all_conditions_of_the_operation(size: int) -> None:
    calls = []
    for m in (numpy, hassium):
        seen: list[tuple[str, int]] = []
        with m.errstate(all="call", call=lambda *told, seen=seen: seen.append(told)):
            m.divide(m.arange(size) - 1.0, 0.0)
            m.log(m.zeros(size))
        calls.append(seen)
    assert calls[0] == calls[1]
    assert ("invalid value", 9) in calls[0]


def test_a_condition_in_every_step_is_not_tested_in_every_step() -> None:
    source = (
        "x = a\nfor k in range(200):\n    x = (x / z) * 0.5\n    y = np.log(-x)\n"
        "    s = float(y[0])\n"
    )
    lines = {(text, line) for _, text, _, line in told(source, hassium, "always")}
    assert lines == {(text, line) for _, text, _, line in told(source, numpy, "always")}
