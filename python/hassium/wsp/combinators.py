"""Programs of array combinators, the language of "Fusing Gathers with Integer Linear Programming".

A program in text form has a line for every array; ``#`` begins a comment::

    input is 16                  # an array from outside and its elements (1 unless given)
    input xs 1000
    as = map xs                  # any number of arrays, read element by element
    bs = gather is as            # the indices, then the source
    cs = fold bs size=1          # rows; `size` is needed where elements are not as many as read
    ds = scanl bs                # from the left; scanr from the right
    es = scatter as bs           # the destination, then what is written; as is gone afterwards
    fs = generate size=16        # from its position alone
    gs = map fs ! cs             # cs is looked up at any position: a table
    force ds                     # no reader of ds fuses with what computes it
    return ds es gs

``size=``, ``item=`` (bytes of an element, 8 unless given) and ``work=`` (of one element, in the
bytes that could be moved meanwhile, 0 unless given) may end a line. What nothing reads must be
returned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

# Orders in which an array is read or made; from FIRST_LABEL on, labels of gathers.
FORWARD, BACKWARD, FIRST_LABEL = 0, 1, 2
OWN = -1  # of an access: in the order in which its reader runs
NONE = -2  # of an access: any element at any time


class Kind(NamedTuple):
    """A row of the table of combinators."""

    least: int  # arrays read, at least and at most
    most: int
    runs: tuple[int, ...] = ()  # the orders that it can run in; (): all
    # Orders of the first accesses; later ones are OWN. FIRST_LABEL: the label of the gather.
    first: tuple[int, ...] = ()
    like: int = 0  # the argument that has as many elements as the result


KINDS = {
    "generate": Kind(0, 0),
    "map": Kind(1, 99),
    "gather": Kind(2, 2, first=(OWN, FIRST_LABEL)),
    "fold": Kind(1, 99),
    "scanl": Kind(1, 99, runs=(FORWARD,)),
    "scanr": Kind(1, 99, runs=(BACKWARD,)),
    "scatter": Kind(2, 99, runs=(FORWARD, BACKWARD), first=(NONE,)),
}


class Access(NamedTuple):
    array: str
    order: int  # OWN, NONE or the label of a gather


@dataclass(frozen=True)
class Combinator:
    """An array that the program makes, and how."""

    name: str
    kind: str
    accesses: tuple[Access, ...]
    size: float = 1
    item: float = 8
    work: float = 0

    @property
    def destination(self) -> str | None:
        return self.accesses[0].array if self.kind == "scatter" else None


@dataclass(frozen=True)
class Arc:
    """`before` runs before `after`, or in the same block if that is fusible."""

    before: str
    after: str
    fusible: bool
    reads: bool = True  # False: `after` overwrites what `before` reads


@dataclass(frozen=True)
class Program:
    inputs: dict[str, tuple[float, float]]  # by name: elements and bytes of one
    members: dict[str, Combinator]  # by name, in an order that respects reads
    results: frozenset[str]
    forced: frozenset[str] = field(default_factory=frozenset)

    def fusible(self, access: Access) -> bool:
        """Returns whether the reader may share a block with the combinator that makes the array."""
        maker = self.members.get(access.array)
        return (
            maker is not None
            and maker.kind != "scatter"
            and access.array not in self.forced
            and access.order != NONE
        )

    @cached_property
    def readers(self) -> dict[str, list[tuple[str, int]]]:
        """Returns for each array its readers with the order of the access, in program order."""
        found: dict[str, list[tuple[str, int]]] = {n: [] for n in [*self.inputs, *self.members]}
        for member in self.members.values():
            for array, order in dict.fromkeys(member.accesses):
                found[array].append((member.name, order))
        return found

    @cached_property
    def arcs(self) -> list[Arc]:
        fusible: dict[tuple[str, str], bool] = {}
        for member in self.members.values():
            for access in member.accesses:
                if access.array in self.members:
                    pair = access.array, member.name
                    fusible[pair] = fusible.get(pair, True) and self.fusible(access)
        arcs = [Arc(*pair, can) for pair, can in fusible.items()]
        for member in self.members.values():
            if member.destination is not None:
                others = {name for name, _ in self.readers[member.destination]} - {member.name}
                arcs += [Arc(name, member.name, False, reads=False) for name in sorted(others)]
        return arcs

    @cached_property
    def always_stored(self) -> frozenset[str]:
        """Returns the arrays that every partition writes to memory."""
        read = {arc.before for arc in self.arcs if arc.reads and not arc.fusible}
        scattered = {m.name for m in self.members.values() if m.kind == "scatter"}
        return self.results | read | scattered

    def bytes_of(self, array: str) -> float:
        if array in self.inputs:
            elements, item = self.inputs[array]
            return elements * item
        return self.members[array].size * self.members[array].item

    def elements(self, array: str) -> float:
        return self.inputs[array][0] if array in self.inputs else self.members[array].size

    def dump(self) -> str:
        """Returns the text form with each access's order: ``xs:own``, ``xs:2``, ``xs:none``."""
        words = {OWN: "own", NONE: "none"}
        lines = [f"input {name} {size:g}" for name, (size, _) in self.inputs.items()]
        for m in self.members.values():
            reads = [f"{array}:{words.get(order, order)}" for array, order in m.accesses]
            lines.append(" ".join([m.name, "=", m.kind, *reads, f"size={m.size:g}"]))
        lines += [f"force {name}" for name in sorted(self.forced)]
        return "\n".join([*lines, "return " + " ".join(sorted(self.results))])


class Parser:
    def __init__(self) -> None:
        self.inputs: dict[str, tuple[float, float]] = {}
        self.members: dict[str, Combinator] = {}
        self.named: dict[str, list[str]] = {"return": [], "force": []}
        self.gathers = 0

    def line(self, words: list[str]) -> None:
        options = dict(word.split("=", 1) for word in words if "=" in word and word != "=")
        plain = [word for word in words if "=" not in word or word == "="]
        numbers = {name: float(value) for name, value in options.items()}
        unknown = numbers.keys() - {"size", "item", "work"}
        if unknown:
            raise ValueError(f"unknown option '{min(unknown)}'")
        if plain[0] == "input":
            name, size = plain[1], float(plain[2]) if plain[2:] else 1.0
            self.fresh(name)
            self.inputs[name] = size, numbers.get("item", 8.0)
        elif plain[0] in self.named:
            self.named[plain[0]] += [self.known(name) for name in plain[1:]]
        elif len(plain) > 2 and plain[1] == "=":
            self.combinator(plain[0], plain[2], plain[3:], numbers)
        else:
            raise ValueError("expected 'input', 'force', 'return' or 'NAME = COMBINATOR ARRAYS'")

    def fresh(self, name: str) -> None:
        if name in self.inputs or name in self.members:
            raise ValueError(f"'{name}' is there already")

    def known(self, name: str) -> str:
        if name not in self.inputs and name not in self.members:
            raise ValueError(f"unknown array '{name}'")
        return name

    def combinator(self, name: str, kind: str, words: list[str], n: dict[str, float]) -> None:
        self.fresh(name)
        if kind not in KINDS:
            raise ValueError(f"unknown combinator '{kind}': must be one of {', '.join(KINDS)}")
        row = KINDS[kind]
        at = words.index("!") if "!" in words else len(words)
        arrays, tables = [[self.known(w) for w in part] for part in (words[:at], words[at + 1 :])]
        if not row.least <= len(arrays) <= row.most:
            raise ValueError(f"{kind} of {len(arrays)} arrays")
        orders = [*row.first, *[OWN] * len(arrays)]
        if kind == "gather":
            orders[1] += self.gathers
            self.gathers += 1
        accesses = [Access(a, order) for a, order in zip(arrays, orders, strict=False)]
        accesses += [Access(table, NONE) for table in tables]
        size = n.get("size", 1.0)
        if "size" not in n and kind != "fold" and arrays:
            like = arrays[row.like]
            size = self.inputs[like][0] if like in self.inputs else self.members[like].size
        item, work = n.get("item", 8.0), n.get("work", 0.0)
        self.members[name] = Combinator(name, kind, tuple(accesses), size, item, work)

    def program(self) -> Program:
        results, forced = map(frozenset, self.named.values())
        program = Program(self.inputs, self.members, results & self.members.keys(), forced)
        for name in self.members:
            if not program.readers[name] and name not in results:
                raise ValueError(f"nothing reads '{name}', and it is not returned")
        for member in self.members.values():
            late = list(self.members)[list(self.members).index(member.name) + 1 :]
            gone = member.destination
            if gone in results:
                raise ValueError(f"'{gone}' is returned and overwritten by a scatter")
            if any(reader in late for reader, _ in program.readers.get(gone or "", [])):
                raise ValueError(f"'{gone}' is read behind the scatter that overwrites it")
        return program


def statements(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def is_combinators(text: str) -> bool:
    """Returns whether the text is a program of combinators: only they have the word ``=``."""
    return any("=" in words for _, words in statements(text))


def parse(text: str) -> Program:
    """Parses a program; raises ValueError that begins with the malformed line."""
    parser = Parser()
    for number, words in statements(text):
        try:
            parser.line(words)
        except (ValueError, IndexError) as error:
            raise ValueError(f"line {number}: {error}") from error
    return parser.program()


def in_order(program: Program, names: Iterable[str]) -> list[str]:
    wanted = set(names)
    return [name for name in program.members if name in wanted]
