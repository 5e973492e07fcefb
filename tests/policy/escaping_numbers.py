"""Functions in which a number is seen by more than calculations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def passed(f: Function, g: Function) -> None:
    value = f()
    g(value)


def stored(f: Function, kept: Any) -> None:
    kept[0] = f()


def index(f: Function, x: Any) -> Any:
    return x[f()]


def attribute(f: Function) -> Any:
    return f().dtype


def method(f: Function) -> Any:
    value = f()
    return value.item()


def formatted(f: Function) -> Any:
    return f"{f()}"


def captured(f: Function) -> Any:
    value = f()
    return lambda: value + 1


def yielded(f: Function) -> Any:
    yield f()


def result_of_generator(f: Function) -> Any:
    yield 3
    return f()


def raised(f: Function) -> Any:
    raise ValueError(f())


def named(f: Function) -> Any:
    value = f()
    return eval("type(value)"), value


def of_frame(f: Function) -> Any:
    value = f()
    return sys._getframe().f_locals, value * 2


def in_query(f: Function, table: Any) -> Any:
    value = f()
    return table.query("a > @value"), value * 2


def both_ways(f: Function) -> Any:
    value = f()
    return value, [value]


def list_passed(f: Function, g: Function) -> Any:
    values = []
    for _ in range(3):
        values.append(f())
    return g(values)


def list_kept(f: Function, kept: Any) -> None:
    values = [f() for _ in range(3)]
    kept.values = values


def list_of_either(f: Function, other: Any) -> Any:
    values = [] if other is None else other
    values.append(f())
    return len(values)


def list_captured(f: Function) -> Any:
    values = []
    values.append(f())
    return lambda: values


def lists_added(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return len(values + [3])


def lists_extended(f: Function, other: Any) -> None:
    values = [f() for _ in range(3)]
    other += values


def list_sliced(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return len(values[1:])


def list_at_any_index(f: Function, k: Any) -> Any:
    values = [f() for _ in range(3)]
    return values[k] + 1


def list_changed(f: Function) -> Any:
    values = [f() for _ in range(3)]
    values.extend([3])
    return values[0] + 1


def list_in_list(f: Function) -> Any:
    rows = [[f() for _ in range(2)] for _ in range(3)]
    return rows


def list_in_calculation(f: Function) -> Any:
    rows = [[f()], [f()]]
    return [row + [1] for row in rows]


def list_expanded(f: Function, g: Function) -> Any:
    values = [f() for _ in range(3)]
    return g(*values)


def list_contains(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return 3 in values


def list_compared(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return values == [3]


def elements_passed(f: Function, g: Function) -> Any:
    values = [f() for _ in range(3)]
    return [g(value) for value in values]


def elements_passed_in_loop(f: Function, g: Function) -> None:
    values = [f() for _ in range(3)]
    for value in values:
        g(value)


def elements_in_set(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return {value for value in values}  # noqa: C416


def elements_generated(f: Function, g: Function) -> Any:
    values = [f() for _ in range(3)]
    return g(value for value in values)


def elements_enumerated(f: Function) -> Any:
    values = [f() for _ in range(3)]
    return [value + k for k, value in enumerate(values)]


def set_of_numbers(f: Function) -> Any:
    return {f() for _ in range(3)}


def numbers_of_keys(f: Function) -> Any:
    return {k: f() for k in range(3)}


def pair_formatted(f: Function) -> Any:
    return "%s" % (f(),)  # noqa: UP031


def swapped_for_list(f: Function, u: Any) -> Any:
    u, u[0] = [0], f()
    return u


def in_case_of_error(f: Function, g: Function) -> Any:
    value = f()
    try:
        return value + 1
    except ValueError:
        return g(value)


ESCAPING = (
    passed, stored, index, attribute, method, formatted, captured, yielded, result_of_generator,
    raised, named, of_frame, in_query, both_ways, list_passed, list_kept, list_of_either,
    list_captured, lists_added,
    lists_extended, list_sliced, list_at_any_index, list_changed, list_in_list, list_in_calculation,
    list_expanded, list_contains, list_compared, elements_passed, elements_passed_in_loop,
    elements_in_set, elements_generated, elements_enumerated, set_of_numbers, numbers_of_keys,
    pair_formatted, swapped_for_list, in_case_of_error,
)  # fmt: skip
