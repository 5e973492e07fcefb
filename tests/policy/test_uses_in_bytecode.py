"""What becomes of the results of calls, read from bytecode: `f()` in each function is followed."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import Any

import pytest

from hassium import _uses
from hassium._uses import Use
from policy.escaping_numbers import ESCAPING, Function


def loaded_names(instruction: dis.Instruction) -> tuple[Any, ...]:
    if "LOAD_" not in instruction.opname:
        return ()
    return instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)


def uses_in(code: types.CodeType) -> Iterator[Use]:
    """What becomes of the results of the calls without arguments of `f` and of comprehensions."""
    last = comprehension = None
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, types.CodeType):
            comprehension = instruction.argval
        if instruction.opname == "CALL" and instruction.arg == 0 and last:
            _, use, inside, _ = _uses.use_at(code, instruction.offset)
            if "f" in loaded_names(last):
                yield use
            elif last.opname == "GET_ITER" and comprehension:  # of Python 3.11
                found = uses_in(comprehension)
                yield from (inside if use == Use.RETURNED_INSIDE else use for use in found)
        if instruction.opname not in ("CACHE", "PRECALL", "PUSH_NULL"):
            last = instruction


def uses(function: Function) -> set[Use]:
    """What becomes of the result of `f()`, in the function or in one of its comprehensions."""
    found = set(uses_in(function.__code__))
    assert found, "there is no f()"
    return found


# ---- calculations ----


def product(f: Function) -> Any:
    total = f()
    return 2.0 * total


def accumulated(f: Function) -> Any:
    total = 0.0
    for _ in range(3):
        total += f()
    return total + 1


def condition(f: Function) -> bool:
    return True if f() else False  # noqa: SIM210


def least(f: Function) -> Any:
    best = None
    for _ in range(3):
        value = f()
        if best is None or value < best:
            best = value
    return best is None or best > 0


def converted(f: Function) -> Any:
    value = f()
    return float(value), int(value), bool(value), complex(value), float(f())


def guarded(f: Function) -> Any:
    value = f()
    try:
        result = value + 1
    except ValueError:
        result = value - 1
    finally:
        result = value * 2
    return result + 1


def within(f: Function, state: Any) -> Any:
    with state:
        value = f()
        return value * 2


def alternative(f: Function) -> Any:
    value = f() or 3
    return value + 1


def appended(f: Function, g: Function) -> Any:
    values = []
    for _ in range(3):
        values.append(f())
    return g([float(value) for value in values])


def comprehended(f: Function, g: Function) -> Any:
    values = [f() for _ in range(3)]
    return g([float(value) for value in values], dtype=float)


def looped(f: Function) -> Any:
    values = [f()]
    for _ in range(3):
        values.append(f())
    total = 0.0
    for value in values:
        if value > 3:
            continue
        total = total + value
    return total / len(values)


def subscripted(f: Function) -> Any:
    values = []
    while len(values) < 3 or values[-1] - values[-2] > 1e-8:
        values.append(f())
    return values[0] * 2


def by_bound_method(f: Function) -> Any:
    values: list[Any] = []
    add = values.append
    for _ in range(3):
        add(f())
    return [value * 2 for value in values]


def handed_on(f: Function) -> Any:
    values = [f() for _ in range(3)]
    kept = [value for value in values]  # noqa: C416
    return {float(value) for value in kept}


def generated(f: Function, g: Function) -> Any:
    values = [f() for _ in range(3)]
    return g(value * 2 for value in values)


def unpacked(f: Function) -> Any:
    first, second, third, fourth = f(), f(), f(), f()
    return first + second + third + fourth


def within_and_appended(f: Function, g: Function, state: Any) -> Any:
    values = []
    for k in range(3):
        with state:
            values.append(f())
        g(f"step {k}", {"k": k}, [k], step=k)
        if not values:
            raise ValueError(k)
    return g([float(value) for value in values])


CALCULATED = (
    product, accumulated, condition, least, converted, guarded, within, alternative, appended,
    comprehended, looped, subscripted, by_bound_method, handed_on, generated, unpacked,
    within_and_appended,
)  # fmt: skip


@pytest.mark.parametrize("function", CALCULATED)
def test_numbers_that_are_calculated_with(function: Function) -> None:
    assert uses(function) == {Use.CALCULATED}


# ---- results ----


def returned(f: Function) -> Any:
    value = f()
    return value


def last(f: Function) -> Any:
    values = []
    for _ in range(3):
        values.append(f())
    return values[-1]


def list_returned(f: Function) -> Any:
    values = []
    for _ in range(3):
        values.append(f())
    return values


def pair_returned(f: Function) -> Any:
    value = f()
    return f, value


def test_numbers_that_are_returned() -> None:
    assert uses(returned) == uses(last) == {Use.RETURNED}
    assert uses(list_returned) == uses(pair_returned) == {Use.RETURNED_INSIDE}


# ---- everything else ----


@pytest.mark.parametrize("function", ESCAPING)
def test_numbers_that_escape(function: Function) -> None:
    assert uses(function) == {Use.ESCAPES}


# ---- versions of Python that are not installed ----

# The code of Python 3.14 for a function with `f` as its argument: each instruction with its
# argument, what that stands for, and how many values it adds to the stack.
PYTHON_3_14 = """
    RESUME 0 0 0
    BUILD_LIST 0 0 1
    STORE_FAST 1 values -1
    LOAD_GLOBAL 1 range 2
    LOAD_SMALL_INT 3 3 1
    CALL 1 1 -2
    GET_ITER 0 0 0
    FOR_ITER 9 32 1
    STORE_FAST_LOAD_FAST 33 k,values 0
    LOAD_ATTR 1 append 1
    LOAD_FAST_BORROW 0 f 1
    PUSH_NULL 0 0 1
    CALL 0 0 -1
    CALL 1 1 -2
    POP_TOP 0 0 -1
    JUMP_BACKWARD 10 14 0
    END_FOR 0 0 -1
    POP_ITER 0 0 -1
    LOAD_FAST_BORROW_LOAD_FAST_BORROW 17 values,values 2
    POP_TOP 0 0 -1
    LOAD_SMALL_INT 0 0 1
    BINARY_OP 26 [] -1
    {last} 0 0 {net}
    RETURN_VALUE 0 0 -1
"""


def read_listing(monkeypatch: pytest.MonkeyPatch, listing: str) -> Use:
    rows = [line.split() for line in listing.strip().splitlines()]
    net = {k: int(row[3]) for k, row in enumerate(rows)}
    instructions = []
    for k, (name, argument, shown, _) in enumerate(rows):
        value: Any = tuple(shown.split(",")) if "," in shown else shown
        value = int(shown) if shown.isdigit() else value
        instructions.append(
            types.SimpleNamespace(
                opname=name, opcode=k, arg=int(argument), argval=value, argrepr=shown, offset=2 * k
            )
        )
    monkeypatch.setattr(dis, "get_instructions", lambda code: instructions)
    monkeypatch.setattr(dis, "stack_effect", lambda k, arg, jump=False: net[k])
    monkeypatch.setattr(dis, "hasjrel", [7, 15])
    monkeypatch.setattr(dis, "haslocal", [2, 8, 10, 18])
    monkeypatch.setattr(dis, "hasjabs", [])
    code = (lambda f: f).__code__
    return _uses.Function(code).at(24)[1]


@pytest.mark.parametrize(
    ("last", "net", "use"),
    [
        ("UNARY_NEGATIVE", 0, Use.CALCULATED),
        ("NOP", 0, Use.RETURNED),
        ("SOMETHING_NEW", 0, Use.ESCAPES),
    ],
)
def test_code_of_python_3_14(
    monkeypatch: pytest.MonkeyPatch, last: str, net: int, use: Use
) -> None:
    assert read_listing(monkeypatch, PYTHON_3_14.format(last=last, net=net)) == use


def test_an_unknown_instruction_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    listing = PYTHON_3_14.format(last="UNARY_NEGATIVE", net=0)
    assert read_listing(monkeypatch, listing.replace("BORROW 0 f", "NEW 0 f")) == Use.ESCAPES
