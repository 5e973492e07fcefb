"""Numbers of pending work: NumPy's scalars wherever code could tell the difference."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pandas
import pytest

import hassium as np
from hassium import _core
from scripts import script

N = 200_000


@pytest.fixture(autouse=True)
def nothing_at_the_call() -> Iterator[None]:
    np.flush()
    with np.config(eager_elements=0):
        np.reset_stats()
        yield
        np.flush()


def pending() -> Any:
    return np.arange(N) * 0.5 + 1.0


def kept_in(build: Callable[[Any], Any]) -> Any:
    return build(pending())


class Holder:
    value: Any = None


def attribute(x: Any) -> Any:
    holder = Holder()
    holder.value = x.sum()
    return holder.value


def argument(x: Any) -> Any:
    def same(value: Any) -> Any:
        return value

    return same(x.max())


def local_argument(x: Any) -> Any:
    total = x.sum()
    return (lambda value: value)(total)


def item(x: Any) -> Any:
    kept: dict[str, Any] = {}
    kept["sum"] = np.sum(x)
    return kept["sum"]


def element(x: Any) -> Any:
    return [x[5]][0]


def comprehension(x: Any) -> Any:
    found = [f() for f in (x.sum, x.min)]
    return found[0]


def mapped(x: Any) -> Any:
    return next(map(np.sum, [x]))


def by_method(x: Any) -> Any:
    found = [x.min(), x.any()]
    return found[0]


def captured(x: Any) -> Any:
    total = x.sum()

    def read() -> Any:
        return total

    return [read()][0]


def yielded(x: Any) -> Any:
    def numbers() -> Iterator[Any]:
        yield x.sum()

    return next(numbers())


def total(x: Any) -> Any:
    return x.sum()


def total_of_total(x: Any) -> Any:
    return total(x)


def returned_to_map(x: Any) -> Any:
    return next(map(total, [x]))


def returned_to_expression(x: Any) -> Any:
    return [total_of_total(x)][0]


def returned_to_property(x: Any) -> Any:
    class Totals:
        sum = property(total)

    return Totals.sum.__get__(x)


def returned_by_keywords(x: Any) -> Any:
    keywords = {"x": x}
    return total(**keywords)


def named_locals(x: Any) -> Any:
    total = x.sum()
    assert total is not None
    return locals()["total"]


def named_for_eval(x: Any) -> Any:
    total = x.sum()
    return eval("total") if total > 0 else None


def of_frame(x: Any) -> Any:
    total = x.sum()
    return sys._getframe().f_locals["total"] if total > 0 else None


def mean(x: Any) -> Any:
    return [x.mean(), x.std(), np.linalg.norm(x), np.median(x), np.ptp(x)][0]


def number_of(x: Any) -> Any:
    total = x.sum()
    return total


def numbers_of(x: Any) -> Any:
    found = []
    for k in range(3):
        found.append((x * k).sum())
    return found


def result(x: Any) -> Any:
    return {"sum": number_of(x)}["sum"]


def result_of_results(x: Any) -> Any:
    def outer() -> Any:
        return number_of(x)

    return {"sum": outer()}["sum"]


def result_in_list(x: Any) -> Any:
    kept = numbers_of(x), [numbers_of(x)]
    return kept[1][0][0]


def result_that_is_cached(x: Any) -> Any:
    return functools.cache(lambda: number_of(x))()


def result_of_wrapped(x: Any) -> Any:
    return functools.partial(map, number_of)([x]).__next__()


def result_of_mapped(x: Any) -> Any:
    return list(map(number_of, [x]))[0]  # noqa: RUF015


def list_in_array(x: Any) -> Any:
    found = []
    for k in range(3):
        found.append((x * k).sum())
    assert np.array(found).dtype == pandas.Series(found).dtype == x.dtype
    return found[0]


def elements_passed(x: Any) -> Any:
    found = [(x * k).sum() for k in range(3)]
    return [(lambda value: value)(value) for value in found][0]  # noqa: RUF015


def list_kept(x: Any) -> Any:
    holder = Holder()
    holder.value = [(x * k).sum() for k in range(3)]
    return holder.value[1]


ESCAPES = (
    attribute, argument, local_argument, item, element, comprehension, mapped, by_method, captured,
    yielded, mean, returned_to_map, returned_to_expression, returned_to_property,
    returned_by_keywords, named_locals, named_for_eval, of_frame, number_of, result,
    result_of_results, result_in_list, result_that_is_cached, result_of_wrapped, result_of_mapped,
    list_in_array, elements_passed, list_kept,
    lambda x: {"sum": x.sum()}["sum"], lambda x: [x.max()][0], lambda x: (x.sum(), 1)[0],
    lambda x: {x.sum()}.pop(), lambda x: [np.add.reduce(x)][0], lambda x: [x.argmax()][0],
    lambda x: [(x > 2.0).all()][0], lambda x: [x @ x][0],
)  # fmt: skip


@pytest.mark.parametrize("escape", ESCAPES)
def test_what_escapes_is_numpys(escape: Callable[[Any], Any]) -> None:
    for _ in range(5):  # the interpreter specialises what it has run a few times
        found = kept_in(escape)
        assert isinstance(found, numpy.generic)
        assert type(found) is not _core.scalar


def change(a: Any, b: Any) -> Any:
    moved = a * 0.5 - b
    b += moved
    return np.sum(np.abs(moved))


def test_a_sum_that_is_added_and_compared_stays_pending() -> None:
    def steps() -> Any:
        a, b = np.ones(N), np.zeros(N)
        for _ in range(3):
            delta = change(a, b)
            delta += change(b, a)
            if float(delta) < 0.0:
                break
        return a

    for _ in range(5):  # the interpreter specialises what it has run a few times
        np.reset_stats()
        steps()
        assert np.stats()["flushes"] == 3


def appended(x: Any) -> Any:
    values = []
    for k in range(5):
        values.append(np.sum(x * k))
    return np.array([float(value) for value in values])


def accumulated(x: Any) -> Any:
    values = []
    total = 0.0
    for k in range(5):
        total = total + np.sum(x * k)
        values.append(4.0 * total)
    return np.array([int(value) for value in values])


def comprehended(x: Any) -> Any:
    means = [np.sum(x * k) / N for k in range(5)]
    return np.array([float(mean) for mean in means], dtype=float)


def iterated(x: Any) -> Any:
    total = 0.0
    for value in [np.sum(x * k) for k in range(5)]:
        total += value
    return x[:3] * total


def of_a_list_returned(x: Any) -> Any:
    return np.array([float(value) for value in numbers_of(x)])


@pytest.mark.parametrize(
    "shape", [appended, accumulated, comprehended, iterated, of_a_list_returned]
)
def test_lists_of_sums_stay_pending(shape: Callable[[Any], Any]) -> None:
    for _ in range(5):  # the interpreter specialises what it has run a few times
        x = pending()
        np.reset_stats()
        found = shape(x)
        assert np.stats()["flushes"] <= 1
        assert numpy.asarray(found).tolist() == shape(numpy.asarray(x)).tolist()


def test_products_of_a_sum_stay_pending() -> None:
    x = pending()
    y = x * np.sum(x)
    assert np.stats()["flushes"] == 0
    assert y[1] == x[1] * numpy.sum(numpy.arange(N) * 0.5 + 1.0)


def test_code_that_runs_as_other_code_is_forgotten() -> None:
    """Of more code objects than are kept, each of which has a callback for its death."""
    x = pending()
    died: list[Any] = []

    def forgotten(_: Any) -> None:
        died.append(np.sum(x) + 1.0)

    watched = []
    for k in range(4200):
        known: dict[str, Any] = {}
        exec(compile("def f(x):\n    return x.sum() + 1.0\n", f"f{k}", "exec"), known)
        assert known["f"](x[:2]) == 3.5
        watched.append(weakref.ref(known["f"].__code__, forgotten))
    del known
    assert died


@pytest.mark.parametrize(
    "make", ["np.arange(1.0, 200_001.0)", "np.random.default_rng(5).random(N)"]
)
def test_generators_with_a_name_are_not_stored_but_made_once_more(make: str) -> None:
    known = {"np": np, "N": N}
    with np.config(rematerialize="on"):
        x = eval(make, known)
        totals = [np.sum(x * 2.0)]
        assert np.stats()["contracted"] == 2
        totals.append(np.sum(x * 2.0))
        totals.append(np.sum(x * 2.0))
        assert totals[0] == totals[1] == totals[2]
    with np.config(rematerialize="off"):
        y = eval(make, known)
        assert [np.sum(y * 2.0)] == totals[:1]
    assert (x == y).all()


UNFINISHED = """
import sys, types
import hassium as np

x = np.arange(100_000.0)
sys.modules["hassium._uses"] = types.ModuleType("hassium._uses")  # as its import begins
print(type(x.sum()).__name__)
del sys.modules["hassium._uses"]

def calculated():
    total = (x * 2).sum()
    return float(total)

print(calculated())
"""


def test_a_handler_may_interrupt_the_import_of_what_reads_bytecode() -> None:
    assert script(UNFINISHED) == ["float64", "9999900000.0"]
