"""Abstract interpretation of a function's bytecode."""

from __future__ import annotations

import bisect
import dis
import functools
import inspect
import types
from collections.abc import Iterator
from typing import NamedTuple

from hassium._uses.effects import EFFECTS, ENDS, GENERATORS, NOT_BY_DIS, Stack, let_all_escape
from hassium._uses.values import ITERATED, UNKNOWN, Maker, NotUnderstood, Places, Use, Value

# Functions that read variables without a load instruction: Python's own, and methods, some of which
# inspect the frame of their caller. pytest calls an attribute `locals` in the code of each
# `assert`, for the names alone.
_BUILTIN_READERS = frozenset(("locals", "vars", "eval", "exec"))
_READERS = frozenset(("eval", "exec", "query", "_getframe", "currentframe"))


class Handler(NamedTuple):
    """Target of an exception, the stack depth kept, and the number of values pushed on it."""

    target: int
    depth: int
    pushed: int


class Function(Places):
    """A code object and the result of its interpretation."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code
        self.instructions = list(dis.get_instructions(code))
        super().__init__(_bound_at_the_start(code), self._has_readers())
        self.offsets = [instruction.offset for instruction in self.instructions]
        try:
            self._interpret()
        except NotUnderstood:
            self.makers.clear()
            self.uses = {Value("inside", ITERATED): Use.ESCAPES}

    def at(self, offset: int) -> tuple[Maker, Use, Use, int]:
        """Returns the maker of the value at a byte offset, its use, and the use of its elements.

        The last number is that of a call's arguments. In a function that has called another the
        offset is behind the call, in its inline cache.
        """
        k = self._index(offset)
        if self.instructions[k].opname == "PRECALL":  # Python 3.11 runs here a call seen before
            k += 1
        if k not in self.makers:
            return Maker.OTHER, Use.ESCAPES, Use.ESCAPES, 0
        uses = self.use_of(Value("number", k)), self.use_of(Value("inside", k))
        return self.makers[k], *uses, self.instructions[k].arg or 0

    def use_of_iterated(self) -> Use:
        """Returns how a comprehension uses the elements that it iterates over."""
        return self.use_of(Value("inside", ITERATED))

    def comprehension(self, function: Value) -> Function:
        (code,) = (self.instructions[k].argval for k in (function.origin,) if isinstance(k, int))
        return interpreted(code)

    def _has_readers(self) -> bool:
        names = {i.argval for i in self.instructions if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
        return not (_BUILTIN_READERS.isdisjoint(names) and _READERS.isdisjoint(self.code.co_names))

    def _interpret(self) -> None:
        before: dict[int, Stack] = {0: [UNKNOWN] * _values_at_the_start(self.code)}
        handlers = self._handlers()
        while self.pending:
            for k in range(len(self.instructions)):
                if k in self.pending:
                    self.pending.remove(k)
                    for target, stack in self._step(k, before[k], handlers.get(k)):
                        self._merge(before, target, stack)
        self.use_contents()

    def _step(self, k: int, stack: Stack, handler: Handler | None) -> Iterator[tuple[int, Stack]]:
        """Yields the successors of an instruction, each with the stack it starts with."""
        if handler:
            yield handler.target, stack[: handler.depth] + [UNKNOWN] * handler.pushed
        instruction = self.instructions[k]
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            pushed = dis.stack_effect(instruction.opcode, instruction.arg, jump=True)
            there = stack[:pushed] if pushed < 0 else stack + [UNKNOWN] * pushed
            yield self._index(instruction.argval), there
        after = stack.copy()
        EFFECTS.get(instruction.opname, let_all_escape)(self, k, after)
        if instruction.opname in ENDS:
            return
        if instruction.opname not in NOT_BY_DIS and len(after) != len(stack) + self.net(k):
            raise NotUnderstood
        yield k + 1, after

    def net(self, k: int) -> int:
        """Returns by how many values an instruction that does not jump grows the stack."""
        instruction = self.instructions[k]
        return dis.stack_effect(instruction.opcode, instruction.arg, jump=False)

    def _merge(self, before: dict[int, Stack], k: int, stack: Stack) -> None:
        known = before.get(k)
        if known == stack:
            return
        if known is not None:
            if len(known) != len(stack):
                raise NotUnderstood
            stack = [a | b for a, b in zip(known, stack, strict=True)]
        before[k] = stack
        if known != stack:
            self.pending.add(k)

    def _index(self, offset: int) -> int:
        """Returns the index of an instruction by its offset, or by that of one of its caches."""
        return bisect.bisect_right(self.offsets, offset) - 1

    def _handlers(self) -> dict[int, Handler]:
        """Returns the handler of each instruction that is in a try block."""
        found = {}
        for entry in dis.Bytecode(self.code).exception_entries:  # type: ignore[attr-defined]
            handler = Handler(self._index(entry.target), entry.depth, 1 + entry.lasti)
            guarded = range(self._index(entry.start), self._index(entry.end - 1) + 1)
            found.update(dict.fromkeys(guarded, handler))
        return found


def _bound_at_the_start(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count] + code.co_cellvars + code.co_freevars


def _values_at_the_start(code: types.CodeType) -> int:
    """A generator starts with a value on the stack, unless dis counts an instruction for it."""
    if not code.co_flags & GENERATORS:
        return 0
    return 1 - dis.stack_effect(dis.opmap["RETURN_GENERATOR"], None)


@functools.lru_cache(maxsize=256)
def interpreted(code: types.CodeType) -> Function:
    return Function(code)


def use_at(code: types.CodeType, offset: int) -> tuple[Maker, Use, Use, int]:
    return interpreted(code).at(offset)
