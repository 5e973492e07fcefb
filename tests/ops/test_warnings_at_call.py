"""Where a RuntimeWarning acts at once, operations that can warn run at the call.

A filter turns it into an exception, a block's list of warnings is read, or a handler of
`numpy.testing.suppress_warnings` takes it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import types
import unittest
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

import hassium

SIZE = 5000  # more than runs at the call
LIBRARIES = pytest.mark.parametrize("m", [numpy, hassium], ids=["numpy", "hassium"])


@contextmanager
def errors(*filters: tuple[Any, ...]) -> Iterator[None]:
    with warnings.catch_warnings():
        for chosen in filters or (("error", "", RuntimeWarning),):
            warnings.filterwarnings(*chosen)
        yield


OPERATIONS = {
    "division": lambda m, a, z: a / z,
    "in place": lambda m, a, z: a.__itruediv__(z),
    "floor division": lambda m, a, z: a // z,
    "integers": lambda m, a, z: m.arange(9000) // 0,
    "logarithm": lambda m, a, z: m.log(-a),
    "two results": lambda m, a, z: m.divmod(a, z),
    "sum": lambda m, a, z: m.add.reduce(a * 1e308),
    "a line of sums": lambda m, a, z: (m.ones((5000, 4)) * 1e308).sum(axis=0),
    "accumulation": lambda m, a, z: m.multiply.accumulate(a * 7),
    "segments": lambda m, a, z: m.add.reduceat(a * 1e308, [0, 100]),
    "at": lambda m, a, z: m.divide.at(a, [1, 2], 0.0),
    "outer": lambda m, a, z: m.divide.outer(a, z[:2]),
    "cast": lambda m, a, z: (a * 1e300).astype("f4"),
    "cast of a copy": lambda m, a, z: m.copyto(m.ones(SIZE, "f4"), a * 1e300),
    "store of a cast": lambda m, a, z: m.ones(SIZE, "f4").__setitem__(slice(None), a * 1e300),
    "product": lambda m, a, z: (a * 1e200).reshape(50, 100) @ (a * 1e200).reshape(100, 50),
    "mask": lambda m, a, z: m.divide(a, z, out=z.copy(), where=a > 0),
    "small": lambda m, a, z: a[:3] / z[:3],
    "numbers": lambda m, a, z: a.sum() / z.sum(),
    "mean": lambda m, a, z: m.mean(a[:0]),
    "function": lambda m, a, z: m.var(a * 1e308),
    "complex": lambda m, a, z: (a + 1j) / z,
}  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_an_error_is_raised_by_its_operation(operation: Any) -> None:
    raised = []
    for m in (numpy, hassium):
        a, z = m.ones(SIZE), m.zeros(SIZE)
        with errors():
            try:
                operation(m, a, z)
            except RuntimeWarning as warning:
                raised.append(str(warning))
            else:
                raised.append("nothing")
    assert raised[0] != "nothing"
    assert raised[1] == raised[0]


@LIBRARIES
def test_an_exception_is_handled_in_its_block(m: Any) -> None:
    a, z = m.ones(SIZE), m.zeros(SIZE)
    with errors():
        try:
            a = a / z
        except RuntimeWarning:
            a = a * 2
    assert a.tolist() == [2.0] * SIZE


@LIBRARIES
def test_an_operation_in_place_that_raised_has_written(m: Any) -> None:
    a, z = m.ones(SIZE), m.zeros(SIZE)
    with errors(), pytest.raises(RuntimeWarning):
        a /= z
    assert a.tolist() == [numpy.inf] * SIZE


@pytest.mark.parametrize("size", [1, 3, 4, 7, 64, 1000, SIZE])
@pytest.mark.parametrize(("dtype", "to"), [("f8", "u8"), ("f4", "u8"), ("f8", "u4"), ("f4", "u4")])
def test_a_cast_of_the_upper_half_raises_nothing(dtype: str, to: str, size: int) -> None:
    bits = 8 * numpy.dtype(to).itemsize
    x = numpy.full(size, 1.75 * 2.0 ** (bits - 1), dtype)
    x[::2] = 3.0
    with errors(), numpy.errstate(all="raise"):
        assert hassium.array(x).astype(to).tolist() == x.astype(to).tolist()
    x[-1] = numpy.nan
    with errors(), pytest.raises(RuntimeWarning, match="invalid value encountered in cast"):
        hassium.array(x).astype(to)


# Filters in the order in which they are set, and whether `1 / 0` is an exception.
FILTERS = {
    "all": ((("error",),), True),
    "of the category": ((("error", "", RuntimeWarning),), True),
    "of another category": ((("ignore",), ("error", "", DeprecationWarning)), False),
    "of its text": ((("ignore",), ("error", "divide by zero")), True),
    "of another text": ((("ignore",), ("error", "invalid value")), False),
    "of another module": ((("ignore",), ("error", "", RuntimeWarning, "another")), False),
    "ignored later": ((("error",), ("ignore", "", RuntimeWarning)), False),
    "ignored by its text": ((("error",), ("ignore", "divide by zero")), False),
    "appended": ((("ignore",), ("error", "", RuntimeWarning, "", 0, True)), False),
}


@LIBRARIES
@pytest.mark.parametrize(("filters", "raises"), FILTERS.values(), ids=FILTERS)
def test_filters(m: Any, filters: tuple[tuple[Any, ...], ...], *, raises: bool) -> None:
    a, z = m.ones(SIZE), m.zeros(SIZE)
    raised = False
    with errors(*filters):
        try:
            a / z
        except RuntimeWarning:
            raised = True
    assert raised == raises


def test_filters_of_a_block_end_with_it() -> None:
    a, z = hassium.ones(SIZE), hassium.zeros(SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        with errors():
            pass
        with warnings.catch_warnings(action="error"):
            pass
        hassium.reset_stats()
        b = a / z
        assert hassium.stats()["flushes"] == 0
        assert b.tolist() == [numpy.inf] * SIZE
    with warnings.catch_warnings(action="error"), pytest.raises(RuntimeWarning):
        a / z


def test_what_cannot_warn_stays_pending() -> None:
    k, x = hassium.arange(SIZE), hassium.ones(SIZE)
    hassium.flush()
    with errors():
        hassium.reset_stats()
        k = k * 3 + 1
        x = abs(x)
        assert hassium.stats()["flushes"] == 0
    with errors(), hassium.errstate(all="ignore"):
        x = x / 0
        assert hassium.stats()["flushes"] == 0
    assert k.tolist() == [3 * n + 1 for n in range(SIZE)]
    assert x.tolist() == [numpy.inf] * SIZE


def test_work_before_the_filter_is_under_the_filters_of_its_recording() -> None:
    a = hassium.ones(SIZE)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        b = a / 0
        with errors():
            c = abs(b)
        assert len(seen) == 1
    assert c.tolist() == [numpy.inf] * SIZE


@LIBRARIES
def test_filters_outside_are_back_after_an_exception(m: Any) -> None:
    filters, show = warnings.filters, warnings.showwarning
    with pytest.raises(RuntimeWarning), warnings.catch_warnings(record=True, action="error"):
        m.ones(SIZE) / 0
    assert warnings.filters is filters
    assert warnings.showwarning is show


# Reads of a block's list of warnings.
READS = {
    "len": len,
    "truth": bool,
    "iteration": lambda seen: [str(w.message) for w in seen],
    "item": lambda seen: str(seen[-1].message),
    "pop": lambda seen: str(seen.pop().message),
    "copy": lambda seen: len(seen.copy()),
    "sum of lists": lambda seen: len(seen + []),
    "comparison": lambda seen: seen == [],
    "reversed": lambda seen: len(list(reversed(seen))),
    "unpacking": lambda seen: len([*seen]),
    "list": lambda seen: len(list(seen)),
    "clear": lambda seen: [seen.clear(), len(seen)],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_list_of_warnings_is_read_in_its_block(read: Any) -> None:
    results = []
    for m in (numpy, hassium):
        a = m.ones(SIZE)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            b = a / 0
            result = read(seen)
            results.append((result, len(seen), type(b)))
    assert [r[:2] for r in results[1:]] == [r[:2] for r in results[:1]]


@LIBRARIES
def test_two_blocks_record_apart(m: Any) -> None:
    a = m.ones(SIZE)
    with warnings.catch_warnings(record=True) as outer:
        warnings.simplefilter("always")
        a / 0
        with warnings.catch_warnings(record=True) as inner:
            m.log(-a)
        a / 0
    assert [len(inner), len(outer)] == [1, 2]


@LIBRARIES
def test_assertions_of_numpy(m: Any) -> None:
    a, z, testing = m.ones(SIZE), m.zeros(SIZE), m.testing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with testing.assert_warns(RuntimeWarning):
            b = a / z
        with pytest.raises(AssertionError), testing.assert_no_warnings():
            c = b - b
        with testing.suppress_warnings() as block:
            seen = block.record(RuntimeWarning, "divide")
            block.filter(RuntimeWarning, "invalid")
            a / z
            c = m.log(-a)
            assert [str(w.message) for w in seen] == ["divide by zero encountered in divide"]
    assert numpy.isnan(c.tolist()).all()
    with errors(), pytest.raises(RuntimeWarning):
        a / z


@pytest.mark.parametrize("m", [numpy, hassium], ids=["numpy", "hassium"])
def test_filters_are_those_of_all_threads(m: Any) -> None:
    a, z = m.arange(SIZE) - 2500.0, m.zeros(SIZE)
    with ThreadPoolExecutor(2) as threads:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            results = list(threads.map(lambda k: a / (z + k), [0, 0]))
            assert len(seen) == 4
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results += threads.map(lambda k: a / (z + k), [0, 0])
    assert [float(x[0]) for x in results] == [-numpy.inf] * 4


# `assertWarns` looks at all modules, and this one of old NumPys warns of that.
OLD_MODULE = pytest.mark.filterwarnings("ignore:The numpy.linalg.linalg:DeprecationWarning")


@OLD_MODULE
class Assertions(unittest.TestCase):
    def runTest(self) -> None:
        a = hassium.ones(SIZE)
        with self.assertWarns(RuntimeWarning) as seen:
            a / 0
        assert seen.filename == __file__
        with self.assertWarnsRegex(RuntimeWarning, "invalid"):
            hassium.log(-a)
        with pytest.raises(AssertionError), self.assertWarns(RuntimeWarning):
            a + 1


@OLD_MODULE
def test_assertions_of_unittest() -> None:
    result = Assertions().run()
    assert result is not None
    assert result.wasSuccessful()


def test_logging_of_warnings(caplog: pytest.LogCaptureFixture) -> None:
    a = hassium.ones(SIZE)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        try:
            a / 0
            hassium.flush()
        finally:
            logging.captureWarnings(False)
    assert "divide by zero encountered in divide" in caplog.text


PROGRAM = f"""
import sys
import {{}} as np
a = np.ones({SIZE})
try:
    b = a / 0
except RuntimeWarning as warning:
    print("handled", warning)
c = np.log(-a)
print("not reached")
"""


@pytest.mark.parametrize("options", [("-W", "error"), ("-W", "error::RuntimeWarning")])
def test_errors_of_the_command_line(options: tuple[str, ...]) -> None:
    def run(package: str) -> tuple[str, int, list[str]]:
        command = [sys.executable, *options, "-c", PROGRAM.format(package)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout, done.returncode, done.stderr.splitlines()

    assert run("hassium") == run("numpy")
    assert run("hassium")[0] == "handled divide by zero encountered in divide\n"


def test_errors_of_pytest(tmp_path: Any) -> None:
    tests = tmp_path / "test_errors.py"
    tests.write_text(
        "import pytest\nimport hassium as np\n\n"
        f"a = np.ones({SIZE})\n\n\n"
        "def test_pending():\n    global kept\n    kept = a / 0\n\n\n"
        "@pytest.mark.filterwarnings('error')\n"
        "def test_error():\n    with pytest.raises(RuntimeWarning):\n        np.log(-a)\n\n\n"
        "@pytest.mark.filterwarnings('error')\n"
        "def test_failing():\n    np.log(-a)\n\n\n"
        "def test_next():\n    assert float(kept[0]) == float('inf')\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tests)]
    path = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=path
    )
    assert "1 failed, 3 passed, 1 warning" in done.stdout
    assert "test_errors.py::test_pending" in done.stdout


def test_the_module_is_pythons() -> None:
    """The functions that flush have the names and documentation of those they wrap."""
    assert isinstance(warnings.simplefilter, types.FunctionType)
    assert warnings.simplefilter.__name__ == "simplefilter"
    assert warnings.catch_warnings.__enter__.__name__ == "__enter__"
