"""What a function does with the result of one of its instructions, read from its bytecode.

A number that pending work will give may stay pending where the function can only calculate with it:
there is no other code that could find out that its type is not NumPy's. Everywhere else, in
containers, arguments, attributes and global names, it has to be NumPy's scalar, so that what pends
runs. The answer depends on the code alone, never on what the program did before.

The search is conservative: an instruction that is not known, a jump, or a stack that is deeper than
what was pushed since counts as an escape.
"""

from __future__ import annotations

import bisect
import dis
import types
from collections.abc import Iterator

ESCAPES, CALCULATED, RETURNED = 0, 1, 2

# What the instruction that makes the value is; a call may hand its result to C code in between.
OTHER, OPERATOR, CALL = 0, 1, 2

_OPERATORS = frozenset(
    "BINARY_OP COMPARE_OP BINARY_SUBSCR UNARY_NEGATIVE UNARY_POSITIVE UNARY_INVERT".split()
)
_CALLS = frozenset(("CALL", "CALL_KW"))
# Conversions to Python's numbers, which the array type implements.
_CONVERSIONS = frozenset(("float", "int", "bool", "complex"))

# What gives code the values of local variables without an instruction that loads them.
_READERS_OF_LOCALS = frozenset(("locals", "vars", "eval", "exec", "_getframe", "currentframe"))

_NEUTRAL = frozenset(
    "NOP RESUME CACHE PRECALL KW_NAMES EXTENDED_ARG NOT_TAKEN COPY_FREE_VARS".split()
)
_PUSHING = ("LOAD_FAST", "LOAD_CONST", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_SMALL_INT",
            "PUSH_NULL", "LOAD_CLOSURE")  # fmt: skip
_POPS = {
    "LOAD_ATTR": 1, "LOAD_METHOD": 1, "UNARY_NEGATIVE": 1, "UNARY_POSITIVE": 1, "UNARY_INVERT": 1,
    "UNARY_NOT": 1, "TO_BOOL": 1, "BINARY_OP": 2, "COMPARE_OP": 2, "BINARY_SUBSCR": 2,
    "BINARY_SLICE": 3, "POP_TOP": 1, "RETURN_VALUE": 1, "STORE_SUBSCR": 3, "STORE_SLICE": 4,
}  # fmt: skip


def _is_subscript(instruction: dis.Instruction) -> bool:
    return instruction.opname == "BINARY_SUBSCR" or (
        instruction.opname == "BINARY_OP" and instruction.argrepr == "[]"
    )


def _pops(instruction: dis.Instruction) -> int | None:
    """How many values an instruction takes from the stack; None if that is not known."""
    name, argument = instruction.opname, instruction.arg or 0
    if name in _NEUTRAL or name.startswith(_PUSHING):
        return 0
    if name in _CALLS:
        return argument + (2 if name == "CALL" else 3)
    if name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_SLICE"):
        return argument
    if name.startswith("POP_JUMP"):
        return 1
    return _POPS.get(name)


class _Function:
    """The instructions of a code object, and what becomes of the values that they push."""

    def __init__(self, code: types.CodeType) -> None:
        self.instructions = list(dis.get_instructions(code))
        self.offsets = [i.offset for i in self.instructions]
        self._locals: dict[str, int] = {}
        self._has_readers_by_name = not _READERS_OF_LOCALS.isdisjoint(code.co_names)

    def use(self, position: int, above: int = 0) -> int:
        """What happens to a value with `above` others on it, from the instruction `position` on."""
        for k in range(position, len(self.instructions)):
            instruction = self.instructions[k]
            name = instruction.opname
            if name.startswith("STORE_FAST"):
                names = _names(instruction)
                if above < len(names) and "LOAD" not in name:
                    return self._of_local(names[above])
                above -= len(names)
                if above < 0 or "LOAD" in name:
                    return ESCAPES
                continue
            pops = _pops(instruction)
            if pops is None:
                return ESCAPES
            if pops > above:
                return self._consumed(k, above)
            if name.startswith(("POP_JUMP", "RETURN")):
                return ESCAPES
            if name in _CALLS:
                above += 1 - pops
            elif name not in _NEUTRAL:
                above += dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
        return ESCAPES

    def _consumed(self, k: int, above: int) -> int:
        instruction = self.instructions[k]
        name = instruction.opname
        if name == "RETURN_VALUE":
            return RETURNED
        if name == "BUILD_TUPLE":
            return RETURNED if self._next(k) == "RETURN_VALUE" else ESCAPES
        if name in _CALLS:
            return CALCULATED if self._is_conversion(k) else ESCAPES
        if name == "STORE_SUBSCR":
            return CALCULATED if above == 2 and self._returns_to_its_array(k) else ESCAPES
        if name.startswith("POP_JUMP"):
            return ESCAPES if "NONE" in name else CALCULATED
        calculates = name in ("COMPARE_OP", "TO_BOOL", "POP_TOP") or name.startswith("UNARY")
        if calculates or (name == "BINARY_OP" and not _is_subscript(instruction)):
            return CALCULATED
        return ESCAPES

    def _next(self, k: int) -> str:
        following = (i.opname for i in self.instructions[k + 1 :] if i.opname not in _NEUTRAL)
        return next(following, "")

    def _is_conversion(self, k: int) -> bool:
        """Whether a call is one of a built-in conversion with the value that was loaded last."""
        before = [i for i in self.instructions[max(0, k - 6) : k] if i.opname not in _NEUTRAL]
        loads = [i for i in before if i.opname != "PUSH_NULL"][-2:]
        return (
            self.instructions[k].arg == 1
            and len(loads) == 2
            and loads[0].opname == "LOAD_GLOBAL"
            and loads[0].argval in _CONVERSIONS
            and loads[1].opname.startswith("LOAD_FAST")
        )

    def _returns_to_its_array(self, k: int) -> bool:
        """Whether `X[i] = X[j]`, with one name, ends at the instruction `k`."""
        target = self._before(k, 2)
        source = self._before(target - 1, 2) if target > 0 else -1
        if source < 0 or not _is_subscript(self.instructions[target - 1]):
            return False
        loads = self.instructions[source], self.instructions[target]
        names = {(i.opname, i.argval) for i in loads}
        return len(names) == 1 and loads[0].opname.startswith(("LOAD_FAST", "LOAD_NAME"))

    def _before(self, k: int, values: int) -> int:
        """Where the instructions begin that push the last values before instruction `k`; or -1."""
        for start in range(k - 1, -1, -1):
            instruction = self.instructions[start]
            if instruction.opname.startswith(("STORE", "POP_JUMP", "RETURN")):
                return -1
            if instruction.opname not in _NEUTRAL and instruction.opname not in _CALLS:
                values -= dis.stack_effect(instruction.opcode, instruction.arg, jump=False)
            if values == 0:
                return start
        return -1

    def _of_local(self, name: str) -> int:
        """What happens to the value of a local variable, wherever it is loaded."""
        if self._has_readers_by_name:
            return ESCAPES
        if name not in self._locals:
            self._locals[name] = CALCULATED  # until a use says otherwise
            uses = [self.use(k + 1, above) for k, above in self._loads(name)]
            worst = ESCAPES if ESCAPES in uses else max(uses, default=CALCULATED)
            self._locals[name] = worst
        return self._locals[name]

    def _loads(self, name: str) -> Iterator[tuple[int, int]]:
        for k, instruction in enumerate(self.instructions):
            if not instruction.opname.startswith(("LOAD_FAST", "STORE_FAST_LOAD")):
                continue
            names = _names(instruction)
            if instruction.opname.startswith("STORE"):
                names = names[1:]
            for place, loaded in enumerate(names):
                if loaded == name:
                    yield k, len(names) - 1 - place


def _names(instruction: dis.Instruction) -> tuple[str, ...]:
    """The variables of an instruction that may have two, in the order of the stack's pops."""
    found = instruction.argval
    return found if isinstance(found, tuple) else (found,)


def use_at(code: types.CodeType, offset: int) -> tuple[int, int, int]:
    """What makes the value at a byte offset of the code, and what becomes of it.

    The last number is that of a call's arguments. A function that has called another stands behind
    the call, in its inline cache.
    """
    function = _Function(code)
    at = bisect.bisect_right(function.offsets, offset) - 1
    if at < 0:
        return OTHER, ESCAPES, 0
    if function.instructions[at].opname == "PRECALL":  # Python 3.11 runs a call seen before there
        at += 1
    name = function.instructions[at].opname
    maker = OPERATOR if name in _OPERATORS else CALL if name in _CALLS else OTHER
    use = function.use(at + 1) if maker != OTHER else ESCAPES
    return maker, use, function.instructions[at].arg or 0
