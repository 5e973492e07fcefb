"""The stack effect of each instruction: one table, `EFFECTS`."""

from __future__ import annotations

import dis
import inspect
import re
import types
from collections.abc import Callable
from typing import TYPE_CHECKING

from hassium._uses.values import (
    INDEX,
    ITERATED,
    MOMENTARY,
    NONE,
    NOTHING,
    NULL,
    UNKNOWN,
    Maker,
    NotUnderstood,
    Use,
    Value,
    Values,
    lasting,
)

if TYPE_CHECKING:
    from hassium._uses.function import Function

Stack = list[Values]
# Changes the stack as the function's instruction with this index does.
Effect = Callable[["Function", int, Stack], None]

# The conversions to Python's numbers, which the array type implements.
_CONVERSIONS = ("float", "int", "bool", "complex")
_BUILTINS = (*_CONVERSIONS, "len")

GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _pop(stack: Stack, count: int) -> Stack:
    if count > len(stack):
        raise NotUnderstood
    popped = stack[len(stack) - count :]
    del stack[len(stack) - count :]
    return popped


def _argument(function: Function, k: int) -> int:
    return function.instructions[k].arg or 0


# ---- instructions whose values are not tracked ----


def let_all_escape(function: Function, k: int, stack: Stack) -> None:
    """Applies to any instruction that accesses no variable: lets all values escape."""
    if function.instructions[k].opcode in dis.haslocal:
        raise NotUnderstood
    for values in stack:
        function.use(values, Use.ESCAPES)
    stack[:] = [UNKNOWN] * (len(stack) + function.net(k))


def _nothing(function: Function, k: int, stack: Stack) -> None:
    pass


def _takes(use: Use | None, pushed: int) -> Effect:
    """Returns an effect that pops values for `use`, if any, and pushes `pushed` unknown ones."""

    def effect(function: Function, k: int, stack: Stack) -> None:
        for values in _pop(stack, pushed - function.net(k)):
            if use is not None:
                function.use(values, use)
        stack.extend([UNKNOWN] * pushed)

    return effect


def _push(function: Function, k: int, stack: Stack) -> None:
    stack.extend([UNKNOWN] * function.net(k))


def _push_null(function: Function, k: int, stack: Stack) -> None:
    stack.append(NULL)


# ---- the stack, variables and names ----


def _copy(function: Function, k: int, stack: Stack) -> None:
    stack.append(stack[-_argument(function, k)])


def _swap(function: Function, k: int, stack: Stack) -> None:
    other = -_argument(function, k)
    stack[-1], stack[other] = stack[other], stack[-1]


def _move(function: Function, k: int, stack: Stack) -> None:
    """Loads and stores variables, of which an instruction may name two."""
    instruction = function.instructions[k]
    names = instruction.argval if isinstance(instruction.argval, tuple) else (instruction.argval,)
    ways = re.findall("(LOAD|STORE)_FAST", instruction.opname)
    for way, name in zip(ways, names, strict=True):
        if way == "STORE":
            function.store(name, *_pop(stack, 1))
            stack[:] = map(lasting, stack)
        else:
            stack.append(function.load(name, k))


def _load_constant(function: Function, k: int, stack: Stack) -> None:
    constant = function.instructions[k].argval
    if isinstance(constant, types.CodeType) and ITERATED in constant.co_varnames:
        stack.append(frozenset((Value("code", k),)))
    else:
        found = INDEX if type(constant) is int else NONE if constant is None else UNKNOWN
        stack.append(found)


def _load_name(function: Function, k: int, stack: Stack) -> None:
    name = function.instructions[k].argval
    if function.net(k) > 1:
        stack.append(NULL)
    known = Value("builtin", name) if name in _BUILTINS else Value("unknown")
    stack.append(frozenset((known, Value("variable", name))))


def _load_attribute(function: Function, k: int, stack: Stack) -> None:
    """Pushes the method of a list, or an attribute of anything else."""
    found = NOTHING
    for value in stack.pop():
        if value.kind == "sequence" and function.instructions[k].argval == "append":
            found |= {value._replace(kind="append")}
        elif value.kind not in MOMENTARY:
            function.use((value,), Use.ESCAPES)
            found |= UNKNOWN
    stack.extend([found, NULL][: 1 + function.net(k)])


# ---- calculations and subscripts ----


def _operate(function: Function, k: int, stack: Stack) -> None:
    if function.instructions[k].argrepr == "[]":
        return _subscript(function, k, stack)
    for values in _pop(stack, 1 - function.net(k)):
        function.use(values, Use.CALCULATED)
    stack.append(function.made(k, Maker.OPERATOR))


def _identify(function: Function, k: int, stack: Stack) -> None:
    """Tests identity. What is compared with None alone may be any object."""
    operands = _pop(stack, 2)
    for values in operands if NONE not in operands else ():
        function.use(values, Use.ESCAPES)
    stack.append(UNKNOWN)


def _subscript(function: Function, k: int, stack: Stack) -> None:
    container, index = _pop(stack, 2)
    found = function.made(k, Maker.OPERATOR)
    function.use(index, Use.ESCAPES)
    for value in container:
        if value.kind == "variable":
            found |= {Value("taken", (k, value.origin))}
        elif value.kind == "sequence" and index == INDEX:
            found |= function.elements(value, k)
        else:
            function.use((value,), Use.ESCAPES)
    stack.append(found)


def _store_subscript(function: Function, k: int, stack: Stack) -> None:
    """Lets an element go back into the array that it was read from, as in `u[0] = u[1]`."""
    values, container, index = _pop(stack, 3)
    arrays = [value.origin for value in container if value.kind == "variable"]
    taken = [value.origin for value in values if value.kind == "taken"]
    back = [at[0] for at in taken if isinstance(at, tuple) and at[1] in arrays]
    function.use((value for value in values if value.origin not in back), Use.ESCAPES)
    function.use(container | index, Use.ESCAPES)


# ---- lists and tuples ----


def _build_sequence(function: Function, k: int, stack: Stack) -> None:
    sequence = Value("sequence", k)
    function.put(sequence, NOTHING.union(*_pop(stack, _argument(function, k))))
    stack.append(frozenset((sequence,)))


def _append(function: Function, k: int, stack: Stack) -> None:
    (values,) = _pop(stack, 1)
    for value in stack[-_argument(function, k)]:
        if value.kind == "sequence":
            function.put(value, values)
        else:
            function.use(values, Use.ESCAPES)


def _unpack(function: Function, k: int, stack: Stack) -> None:
    found = UNKNOWN
    for value in stack.pop():
        if value.kind == "sequence":
            found |= function.elements(value, k)
        else:
            function.use((value,), Use.ESCAPES)
    stack.extend([found] * _argument(function, k))


def _get_iterator(function: Function, k: int, stack: Stack) -> None:
    found = UNKNOWN
    for value in stack.pop():
        if value.kind in ("sequence", "iterator"):
            found |= {value._replace(kind="iterator")}
        else:
            function.use((value,), Use.ESCAPES)
    stack.append(found)


def _iterate(function: Function, k: int, stack: Stack) -> None:
    found = UNKNOWN
    for value in stack[-1]:
        if value.kind == "iterator":
            found |= function.elements(value, k)
        else:
            function.use((value,), Use.ESCAPES)
    stack.append(found)


# ---- functions ----


def _return(function: Function, k: int, stack: Stack) -> None:
    is_generator = function.code.co_flags & GENERATORS
    function.use(stack.pop(), Use.ESCAPES if is_generator else Use.RETURNED)


def _make_function(function: Function, k: int, stack: Stack) -> None:
    *others, code = _pop(stack, 1 - function.net(k))
    for values in others:
        function.use(values, Use.ESCAPES)
    made = frozenset(value._replace(kind="function") for value in code if value.kind == "code")
    stack.append(made or UNKNOWN)


def _set_of_function(function: Function, k: int, stack: Stack) -> None:
    attribute, made = _pop(stack, 2)
    function.use(attribute, Use.ESCAPES)
    stack.append(made)


def _call(function: Function, k: int, stack: Stack) -> None:
    if function.instructions[k].opname == "CALL_KW":
        stack.pop()  # keyword names
    called, self_argument, *arguments = _pop(stack, 2 + _argument(function, k))
    if called == NULL:
        called = self_argument
    elif self_argument != NULL:
        arguments.insert(0, self_argument)
    for value in called:
        if value.kind not in MOMENTARY:
            _call_of(function, k, value, arguments)
    stack.append(function.made(k, Maker.CALL))


def _call_of(function: Function, k: int, called: Value, arguments: Stack) -> None:
    if called.kind in ("append", "function"):
        if len(arguments) != 1:
            raise NotUnderstood
        if called.kind == "append":
            function.put(called, arguments[0])
        else:
            _comprehend(function, k, called, arguments[0])
    elif called.kind == "builtin":
        for values in arguments if called.origin != "len" else ():
            function.use(values, Use.CALCULATED)
    else:
        function.use((called,), Use.ESCAPES)
        for values in arguments:
            function.use(values, Use.ESCAPES)


def _comprehend(function: Function, k: int, called: Value, iterated: Values) -> None:
    """Calls a comprehension with an iterator; it returns a list of the elements or of others."""
    use = function.comprehension(called).use_of_iterated()
    for value in iterated:
        if value.kind != "iterator" or use not in (Use.CALCULATED, Use.RETURNED_INSIDE):
            function.use((value,), Use.ESCAPES)
            continue
        function.use(function.elements(value, k), Use.CALCULATED)
        if use == Use.RETURNED_INSIDE:
            function.put(Value("sequence", k), function.elements(value, k))


def _rows(effect: Effect, names: str) -> dict[str, Effect]:
    return dict.fromkeys(names.split(), effect)


EFFECTS: dict[str, Effect] = {
    **_rows(_nothing, """
        NOP RESUME CACHE PRECALL KW_NAMES EXTENDED_ARG NOT_TAKEN COPY_FREE_VARS MAKE_CELL
        DELETE_FAST DELETE_DEREF DELETE_GLOBAL DELETE_NAME JUMP_FORWARD JUMP_BACKWARD
        JUMP_BACKWARD_NO_INTERRUPT SETUP_ANNOTATIONS RETURN_CONST"""),
    **_rows(_push, """
        LOAD_DEREF LOAD_CLASSDEREF LOAD_CLOSURE LOAD_ASSERTION_ERROR LOAD_COMMON_CONSTANT
        LOAD_BUILD_CLASS LOAD_LOCALS WITH_EXCEPT_START RETURN_GENERATOR PUSH_EXC_INFO"""),
    **_rows(_push_null, "PUSH_NULL"),
    **_rows(_takes(None, 0), """
        POP_TOP END_FOR POP_ITER POP_EXCEPT JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP
        POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
        POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_NONE
        POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE
        POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE"""),
    **_rows(_takes(None, 1), "TO_BOOL UNARY_NOT CHECK_EXC_MATCH"),
    **_rows(_takes(Use.ESCAPES, 0), """
        STORE_NAME STORE_GLOBAL STORE_DEREF STORE_ATTR STORE_SLICE DELETE_SUBSCR DELETE_ATTR
        LIST_EXTEND SET_ADD SET_UPDATE MAP_ADD DICT_UPDATE DICT_MERGE RAISE_VARARGS RERAISE
        PRINT_EXPR IMPORT_STAR"""),
    **_rows(_takes(Use.ESCAPES, 1), """
        BINARY_SLICE BUILD_SLICE BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP BUILD_STRING FORMAT_VALUE
        FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE CONTAINS_OP CALL_FUNCTION_EX
        CALL_INTRINSIC_1 CALL_INTRINSIC_2 LIST_TO_TUPLE IMPORT_NAME LOAD_SUPER_ATTR
        LOAD_FROM_DICT_OR_GLOBALS LOAD_FROM_DICT_OR_DEREF YIELD_VALUE"""),
    **_rows(_takes(Use.ESCAPES, 2), "BEFORE_WITH LOAD_SPECIAL IMPORT_FROM"),
    **_rows(_copy, "COPY"),
    **_rows(_swap, "SWAP"),
    **_rows(_move, """
        LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_FAST_BORROW LOAD_FAST_LOAD_FAST
        LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST"""),
    **_rows(_load_constant, "LOAD_CONST LOAD_SMALL_INT"),
    **_rows(_load_name, "LOAD_GLOBAL LOAD_NAME"),
    **_rows(_load_attribute, "LOAD_ATTR LOAD_METHOD"),
    **_rows(_operate, "BINARY_OP COMPARE_OP UNARY_NEGATIVE UNARY_POSITIVE UNARY_INVERT"),
    **_rows(_identify, "IS_OP"),
    **_rows(_subscript, "BINARY_SUBSCR"),
    **_rows(_store_subscript, "STORE_SUBSCR"),
    **_rows(_build_sequence, "BUILD_LIST BUILD_TUPLE"),
    **_rows(_append, "LIST_APPEND"),
    **_rows(_unpack, "UNPACK_SEQUENCE"),
    **_rows(_get_iterator, "GET_ITER"),
    **_rows(_iterate, "FOR_ITER"),
    **_rows(_return, "RETURN_VALUE"),
    **_rows(_make_function, "MAKE_FUNCTION"),
    **_rows(_set_of_function, "SET_FUNCTION_ATTRIBUTE"),
    **_rows(_call, "CALL CALL_KW"),
}  # fmt: skip

# No instruction follows these.
ENDS = frozenset((
    "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD",
    "JUMP_BACKWARD_NO_INTERRUPT",
))  # fmt: skip

# On Python 3.11 dis counts the arguments of a call at one of these, the interpreter at the other.
NOT_BY_DIS = frozenset(("PRECALL", "CALL"))
