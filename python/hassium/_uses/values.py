"""The values that the places of a function may hold, and their uses."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable
from typing import NamedTuple


class Use(enum.IntEnum):
    """Use of a value, numbered as in src/bind/module/value_uses.cpp.

    For the last two the caller decides: it gets the value itself, or a list or tuple of it.
    """

    ESCAPES = 0
    CALCULATED = 1
    RETURNED = 2
    RETURNED_INSIDE = 3


class Maker(enum.IntEnum):
    """The kind of instruction that makes a value; a call may pass its result through C code."""

    OTHER = 0
    OPERATOR = 1
    CALL = 2


class Value(NamedTuple):
    """A value that a place may refer to. `origin` is the index of an instruction, or a name.

    number, sequence, inside: the result of a call or operator, as a number, as a list or tuple, and
        as an element of that list or tuple. A list or tuple that is built is a sequence, too.
    iterator, append: an iterator of a sequence, and its method.
    variable, taken: the current value of the variable, and an element read from it.
    builtin: a function, by its name.
    code, function: of a comprehension or generator expression.
    index, none, null: a constant integer, None, and the lack of a self argument.
    unknown: any value that is not tracked.
    """

    kind: str
    origin: Hashable = None


Values = frozenset[Value]

NOTHING: Values = frozenset()
UNKNOWN: Values = frozenset((Value("unknown"),))
NULL: Values = frozenset((Value("null"),))
INDEX: Values = frozenset((Value("index"),))
NONE: Values = frozenset((Value("none"),))

NUMBERS = ("number", "inside")
CONTAINERS = ("sequence", "iterator", "append")
MOMENTARY = ("variable", "taken")

# The name of the iterator argument of a comprehension.
ITERATED = ".0"


def lasting(values: Values) -> Values:
    return frozenset(value for value in values if value.kind not in MOMENTARY)


class NotUnderstood(Exception):
    """The code does something that is not interpreted: every value escapes."""


class Places:
    """The variables and containers of a function, and the uses of its values.

    The sets of values of a variable or a container only grow. `pending` are the instructions to
    interpret (again), as something that they read has grown.
    """

    def __init__(self, bound: Iterable[str], are_read_by_name: bool) -> None:
        self.are_read_by_name = are_read_by_name
        self.variables: dict[str, Values] = dict.fromkeys(bound, UNKNOWN)
        self.contents: dict[Hashable, Values] = {}
        self.uses: dict[Value, Use] = {}
        self.makers: dict[int, Maker] = {}
        self.readers: dict[Hashable, set[int]] = {}
        self.pending = {0}
        if ITERATED in self.variables:
            self.contents[ITERATED] = frozenset((Value("inside", ITERATED),))
            self.variables[ITERATED] = frozenset((Value("iterator", ITERATED),))

    def load(self, name: str, reader: int) -> Values:
        self.readers.setdefault(name, set()).add(reader)
        return self.variables.get(name, NOTHING) | {Value("variable", name)}

    def store(self, name: str, values: Values) -> None:
        kept = lasting(values)
        held = self.variables.get(name, NOTHING)
        self.variables[name] = held | kept
        if self.are_read_by_name:
            self.use(kept, Use.ESCAPES)
        if not kept <= held:
            self.pending.update(self.readers.get(name, ()))

    def elements(self, container: Value, reader: int) -> Values:
        self.readers.setdefault(container.origin, set()).add(reader)
        return self.contents.get(container.origin, NOTHING) | UNKNOWN

    def put(self, container: Value, values: Values) -> None:
        kept = lasting(values)
        held = self.contents.get(container.origin, NOTHING)
        self.contents[container.origin] = held | kept
        if not kept <= held:
            self.pending.update(self.readers.get(container.origin, ()))

    def made(self, k: int, maker: Maker) -> Values:
        """Returns the result of the call or operator `k`."""
        self.makers[k] = maker
        self.put(Value("sequence", k), frozenset((Value("inside", k),)))
        return frozenset((Value("number", k), Value("sequence", k), Value("unknown")))

    def use(self, values: Iterable[Value], use: Use) -> None:
        """Records a use of values. A container in a calculation escapes: `found + [1]`."""
        for value in values:
            if value.kind in NUMBERS:
                self._note(value, use)
            elif value.kind in CONTAINERS:
                self._note(value, Use.ESCAPES if use == Use.CALCULATED else use)

    def use_contents(self) -> None:
        """Propagates uses to contents, which are returned or escape with their container."""
        pending = [value for value in self.uses if value.kind in CONTAINERS]
        while pending:
            container = pending.pop()
            returned = container.kind == "sequence" and self.uses[container] == Use.RETURNED
            for value in self.contents.get(container.origin, NOTHING):
                if value.kind in NUMBERS:
                    self._note(value, Use.RETURNED_INSIDE if returned else Use.ESCAPES)
                elif value.kind in CONTAINERS and self._note(value, Use.ESCAPES):
                    pending.append(value)

    def use_of(self, value: Value) -> Use:
        return self.uses.get(value, Use.CALCULATED)

    def _note(self, value: Value, use: Use) -> bool:
        """Joins two uses: a calculation adds nothing, and two different uses are an escape."""
        known = self.use_of(value)
        if use in (Use.CALCULATED, known):
            joined = known
        else:
            joined = use if known == Use.CALCULATED else Use.ESCAPES
        self.uses[value] = joined
        return joined != known
