"""Random NumPy programs as source text.

A program is a list of lines over variables ``v0, v1, ...``; it runs under NumPy and under hassium
and every live variable is compared. A line that raises under NumPy must raise the same exception
type under hassium and change nothing. The text of a failing program can be pasted into a test.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from property import indexing

Choice = tuple[int, int, int, int, int]

DTYPES = ["f8", "f4", "i8", "i4", "u1", "?", "c16", "i2", "f2"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "logical_and"]
UNARY = ["negative", "absolute", "square", "sign", "logical_not", "conjugate"]
REDUCE = ["sum", "max", "min", "any", "all", "prod"]
SHAPES = ["12", "(3, 4)", "(4, 3)", "(2, 2, 3)", "(6,)", "(1, 4)", "()", "(0, 3)", "(40, 30)"]
# Enough elements that more threads than one are worth it.
LARGE = ["60000", "(200, 300)", "(300, 200)", "(2, 150, 200)", "(60000,)", "(1, 300)", "(0, 300)"]
SLICES = [
    "[1:]",
    "[:-1]",
    "[::-1]",
    "[::2]",
    "[1::2]",
    "[..., 1:]",
    "[..., ::-1]",
    "[None]",
    "[..., 0]",
    "[1]",
    "[-1:, ...]",
    "[...]",
]


class Writer:
    """Turns choices into lines while it runs them under NumPy, so that it knows the variables."""

    def __init__(self, shapes: list[str]) -> None:
        self.shapes = shapes
        self.lines: list[str] = []
        self.space: dict[str, Any] = {"np": numpy, "numpy": numpy, "flush": lambda: None}
        self.count = 0

    def arrays(self) -> list[str]:
        return [k for k, v in self.space.items() if isinstance(v, numpy.ndarray) and k[0] == "v"]

    def pick(self, n: int) -> str:
        names = self.arrays()
        return names[n % len(names)]

    def operand(self, n: int) -> str:
        """An array, or another object on the memory of one: made by the line before, or in place.

        Numbers from 36 on, of 60, choose such an object where there is one.
        """
        outside = [k for k, v in self.space.items() if k[0] == "x" and k[1:].isdigit()]
        if n >= 36 and outside:
            return outside[n % len(outside)]
        name = self.pick(n)
        return f"numpy.asarray({name})" if n % 12 == 7 else name

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def emit(self, line: str) -> None:
        self.lines.append(line)
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(line, self.space)
            except Exception as error:  # of any type: which one is the question
                self.lines[-1] = f"raises({type(error).__name__!r}, {line!r})"

    def add(self, choice: Choice) -> None:
        kind, a, b, c, d = choice
        if not self.arrays():
            kind = 0
        MAKERS[kind % len(MAKERS)](self, a, b, c, d)


def create(w: Writer, a: int, b: int, c: int, d: int) -> None:
    shape = w.shapes[a % len(w.shapes)]
    size = math.prod(numpy.empty(eval(shape)).shape)
    dtype = DTYPES[b % len(DTYPES)]
    start = c % 5 - 2 if dtype not in ("u1", "?") else c % 3
    values = f"[(k * {d % 7 + 1} + {start}) % 9 for k in range({size})]"
    if size > 2000:
        values = f"(numpy.arange({size}) * {d % 7 + 1} + {start}) % 9"
    w.emit(f"{w.fresh()} = np.array({values}, dtype={dtype!r}).reshape({shape})")


def view(w: Writer, a: int, b: int, c: int, d: int) -> None:
    w.emit(f"{w.fresh()} = {w.pick(a)}{SLICES[b % len(SLICES)]}")


# Functions that give views, of any array.
VIEWS = [
    "np.reshape({x}, -1)",
    "np.ravel({x})",
    "np.transpose({x})",
    "np.swapaxes({x}, 0, -1)",
    "np.moveaxis({x}, 0, -1)",
    "np.squeeze({x})",
    "np.expand_dims({x}, -1)",
    "np.atleast_1d({x})",
    "np.atleast_2d({x})",
    "np.atleast_3d({x})",
    "np.broadcast_to({x}, (2,) + {x}.shape)",
    "np.broadcast_arrays({x}, np.ones((2, 1, 1)))[0]",
    "np.flip({x})",
    "np.flip({x}, 0)",
    "np.rot90({x})",
    "np.split({x}, [1])[-1]",
    "np.array_split({x}, 2, axis=-1)[0]",
    "np.unstack({x})[-1]",
    "np.diagonal({x})",
    "np.diag(np.atleast_2d({x}))",  # of a vector it is a matrix, which may fill the memory
    "np.real({x})",
    "np.imag({x})",
    "np.nan_to_num({x}, copy=False)",
    "np.lib.stride_tricks.as_strided({x})",
    "np.lib.stride_tricks.sliding_window_view({x}, 2, axis=-1)",
    "np.asarray({x}, copy=False)",
    "np.array({x}, copy=None, ndmin=2)",
    "np.asanyarray({x})",
    "np.ascontiguousarray({x})",
    "np.asfortranarray({x})",
    "np.require({x}, None, ['W'])",
    "np.from_dlpack({x})",
    "np.frombuffer({x}, {x}.dtype)",
    "np.astype({x}, 'f8', copy=False)",
]


def shared(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """A view by a function, and writes to both sides."""
    x, made = w.operand(a), w.fresh()
    # An expression names its operand once or twice: a fresh export may not be one object.
    if x.startswith("numpy."):
        w.emit(f"x{w.count} = {x}")
        x = f"x{w.count}"
    w.emit(f"{made} = {VIEWS[b % len(VIEWS)].format(x=x)}")
    if made not in w.space:
        return
    if c % 3 != 0:
        w.emit(f"{x}[...] = {c % 5}")
    if d % 3 != 0:
        w.emit(f"{made}[...] = {d % 4}")


def handed_out(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Objects on the memory of an array, and arrays of NumPy's own."""
    x, made = w.pick(a), f"x{w.count}"
    forms = [
        f"numpy.asarray({x})",
        f"{x}.__array__()",
        f"numpy.asarray(memoryview({x}))",
        f"numpy.asarray({x})[::-1]",
        f"numpy.asarray({x}).T",
        f"numpy.array({x})",
        f"numpy.array({x}).T",
        f"np.ravel({x})[0][...]",
        f"numpy.sum(numpy.array({x}))[...]",
        f"memoryview({x})",
    ]
    form = b % len(forms)
    w.emit(f"{made} = {forms[form]}")
    if made in w.space and c % 4 == 0 and 3 <= form <= 8:  # NumPy's asarray is the array itself
        w.emit(f"{made}.flags.writeable = False")


def transposed(w: Writer, a: int, b: int, c: int, d: int) -> None:
    form = [".T", ".reshape(-1)", ".ravel()", ".copy()", ".swapaxes(0, -1)", ".diagonal()"]
    w.emit(f"{w.fresh()} = {w.pick(a)}{form[b % len(form)]}")


def reshaped(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Work on an array in another shape of as many elements, beside work in its own."""
    x = w.pick(a)
    forms = ["-1", "(-1, 3)", "(4, -1)", "(2, -1, 2)", "(6, -1)", "(3, 2, -1)"]
    made = w.fresh()
    w.emit(f"{made} = {x}.reshape({forms[b % len(forms)]})")
    if made not in w.space:
        return
    more = [f"{made} += 1", f"{w.fresh()} = {made} * 2", f"{w.fresh()} = {made}[::-1] - {made}"]
    w.emit(more[c % len(more)])
    if d % 2:
        w.emit(f"{w.fresh()} = {x} + {x}")


def binary(w: Writer, a: int, b: int, c: int, d: int) -> None:
    other = w.operand(b) if d % 3 else str([2, 1, 0.5, 3, True][c % 5])
    w.emit(f"{w.fresh()} = np.{BINARY[d % len(BINARY)]}({w.operand(a)}, {other})")


def unary(w: Writer, a: int, b: int, c: int, d: int) -> None:
    w.emit(f"{w.fresh()} = np.{UNARY[b % len(UNARY)]}({w.operand(a)})")


def in_place(w: Writer, a: int, b: int, c: int, d: int) -> None:
    target = w.pick(a) + ["", "[1:]", "[::-1]", "[..., :1]"][d % 4]
    source = w.operand(b) + ["", "[:-1]", ".T", "[::2]"][c % 4] if d % 5 else "2"
    w.emit(f"{target} {['+=', '-=', '*='][(a + c) % 3]} {source}")


def assign(w: Writer, a: int, b: int, c: int, d: int) -> None:
    source = w.operand(b) + ["", "[::-1]", ".T"][c % 3] if d % 4 else "3"
    w.emit(f"{w.pick(a)}{SLICES[c % len(SLICES)]} = {source}")


def masked(w: Writer, a: int, b: int, c: int, d: int) -> None:
    x, y = w.pick(a), w.operand(b)
    forms = [
        f"{x}[{x} > {c % 5}] = {d % 4}",
        f"np.add({x}, 1, out={x}, where={x} < {c % 6})",
        f"{w.fresh()} = np.where({x} > {c % 4}, {x}, {y})",
        f"{w.fresh()} = {x}[{x} != {c % 4}]",
        f"np.copyto({x}, {y}, where={x} > {c % 5})",
    ]
    w.emit(forms[d % len(forms)])


def fancy(w: Writer, a: int, b: int, c: int, d: int) -> None:
    x = w.pick(a)
    forms = [
        f"{w.fresh()} = {x}[[0, -1, 1]]",
        f"{x}[[0, 1]] = {w.operand(b)}",
        f"{x}[[1, 0]] = {c % 5}",
        f"{w.fresh()} = np.take({x}, [[0, 1], [1, 0]])",
    ]
    w.emit(forms[d % len(forms)])


def reduced(w: Writer, a: int, b: int, c: int, d: int) -> None:
    axis = ["", "axis=0", "axis=-1", "axis=0, keepdims=True"][c % 4]
    name, x = REDUCE[b % len(REDUCE)], w.pick(a)
    if name == "sum" and w.space[x].dtype == numpy.float16:
        axis = f"{axis}, dtype='f8'".lstrip(", ")  # NumPy rounds each partial sum of halves
    if name == "prod":  # in another order large factors overflow where zeros come first
        x = f"np.sign({x})"
    w.emit(f"{w.fresh()} = np.asanyarray({x}.{name}({axis}))")


def scanned(w: Writer, a: int, b: int, c: int, d: int) -> None:
    axis, x = ["", "axis=0", "axis=-1"][c % 3], w.pick(a)
    if dtype := indexing.wider(w, x):
        axis = f"{axis}, dtype='{dtype}'".lstrip(", ")
    forms = [
        f"{x}.cumsum({axis})",
        f"({x} + {x}).cumsum({axis}) * 2",
        f"np.maximum.accumulate({x} * 2, axis={[0, -1][c % 2]}) + {x}",
    ]
    w.emit(f"{w.fresh()} = {forms[d % len(forms)]}")


def rows(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Reductions whose results are used over the kept axes and all along the reduced ones."""
    x, axis = w.pick(a), [-1, 0, 1][c % 3]
    name, more = ["sum", "max", "min"][b % 3], ""
    if name == "sum" and w.space[x].dtype == numpy.float16:
        more = ", dtype='f8'"  # as for sums
    made = w.fresh()
    forms = [
        f"{made} = {x} + {x}.{name}(axis={axis}, keepdims=True{more})",
        f"{made} = np.asanyarray({x}.{name}(axis={axis}{more}) * 2 + 1)",
        f"{made} = np.abs({x} * {x}.{name}(axis={axis}, keepdims=True{more})).max(axis={axis})",
    ]
    w.emit(forms[d % len(forms)])
    if d % 2:
        w.emit(f"{w.fresh()} = np.asanyarray({made} * 2)")


def sums_of_products(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Of arrays, of what is computed and of what one value fills."""
    x, axis = w.pick(a), ["-1", "0", "None"][c % 3]
    more = ", dtype='f8'" if w.space[x].dtype == numpy.float16 else ""  # as for sums
    y = [f"np.ones_like({x})", f"np.full_like({x}, {b % 4})", f"({x} + 1)", x][b % 4]
    factors = [f"{y} * {x}", f"{y} * ({y} + {x})", f"np.square({y} + 2)", f"np.square({x} - {y})"]
    w.emit(f"{w.fresh()} = np.asanyarray(({factors[d % 4]}).sum(axis={axis}{more}))")


def filled(w: Writer, a: int, b: int, c: int, d: int) -> None:
    x = w.pick(a)
    forms = [f"np.zeros_like({x})", f"np.full_like({x}, {c % 3})", f"np.ones({x}.shape)"]
    w.emit(f"{w.fresh()} = {forms[b % len(forms)]}")


def out_argument(w: Writer, a: int, b: int, c: int, d: int) -> None:
    target = w.operand(c) + ["", "[::-1]", ".T"][d % 3]
    w.emit(f"np.{BINARY[d % 4]}({w.operand(a)}, {w.operand(b)}, out={target})")


def cast(w: Writer, a: int, b: int, c: int, d: int) -> None:
    w.emit(f"{w.fresh()} = {w.pick(a)}.astype({DTYPES[b % len(DTYPES)]!r})")


def read(w: Writer, a: int, b: int, c: int, d: int) -> None:
    x = w.pick(a)
    forms = [
        # In the dtype of the sum, which says how far it may be off.
        f"r{w.count} = numpy.array(np.sum({x}).item(), np.sum({x}).dtype)",
        f"r{w.count} = {x}.tolist()",
        f"r{w.count} = {x}.item(0)",
    ]
    w.emit(forms[b % len(forms)])


def export(w: Writer, a: int, b: int, c: int, d: int) -> None:
    x = w.pick(a)
    if d % 2:
        w.emit(f"e{w.count} = numpy.asarray({x})")
        w.emit(f"e{w.count}[...] = {c % 5}")
    else:
        w.emit(f"e{w.count} = numpy.asarray({x})")


def delete(w: Writer, a: int, b: int, c: int, d: int) -> None:
    names = w.arrays()
    if len(names) > 2:
        w.emit(f"del {names[a % len(names)]}")


def force(w: Writer, a: int, b: int, c: int, d: int) -> None:
    w.emit("flush()")


Maker = Callable[[Writer, int, int, int, int], None]


def assembled(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Work on arrays that were put together from others, and nothing else is done with."""
    x, by = w.pick(a), c % 5 - 2
    forms = [
        f"np.roll({x}, {by}, 0) + {x}",
        f"np.roll(np.roll({x}, {by}, 0), 1, -1) * 2",
        f"np.roll({x}, {by}, -1) - np.roll({x}, 1, 0)",
        f"np.concatenate([{x}, {w.operand(c)}]) + 1",
        f"np.stack([{x}, {x}]) * {x}",
        f"np.stack([{x}, {w.operand(d)}], axis=-1)[..., 1] + {x}",
        f"np.diff(np.concatenate([{x}, {x}[:1]]), axis=0)",
    ]
    made = w.fresh()
    w.emit(f"{made} = {forms[b % len(forms)]}")
    if d % 2 and made in w.space:
        w.emit(f"{w.fresh()} = {made} + {x}" if d % 4 == 1 else f"{w.fresh()} = {made}.sum(axis=0)")


def selected(w: Writer, a: int, b: int, c: int, d: int) -> None:
    """Parts of an array that is computed, whose other elements nothing may read."""
    x, y = w.pick(a), w.operand(b)
    computed = [f"({x} * 2 + {y})", f"(np.abs({x}) + 1)", f"({y} - {x})", f"np.sqrt(np.abs({x}))"]
    parts = [
        *SLICES,
        "[[0, -1, 1]]",
        "[..., [0, 0, 1]]",
        "[[[1, 0], [0, -1]]]",
        ".T[1:]",
        ".ravel()[2:9]",
        ".reshape(-1)[[3, 0, -2]]",
        f"[{x} > {c % 4}]",
    ]
    made = w.fresh()
    w.emit(f"{made} = {computed[c % 4]}{parts[d % len(parts)]}")
    if made in w.space and b % 3:
        w.emit(f"{w.fresh()} = {made} + {made}" if b % 3 == 1 else f"{w.pick(a)} += 1")


# A choice is a number below 60: the first makers are chosen twice as often as the others.
MAKERS: list[Maker] = [
    create,
    view,
    indexing.viewed,
    indexing.gathered,
    indexing.scattered,
    indexing.counted,
    indexing.accumulated,
    binary,
    in_place,
    assign,
    unary,
    masked,
    reduced,
    rows,
    reshaped,
    transposed,
    delete,
    binary,
    in_place,
    fancy,
    scanned,
    out_argument,
    cast,
    read,
    export,
    shared,
    handed_out,
    shared,
    force,
    binary,
    sums_of_products,
    filled,
    assembled,
    selected,
    selected,
]


def write(choices: list[Choice], shapes: list[str] = SHAPES) -> list[str]:
    """The lines of the program that the choices stand for."""
    writer = Writer(shapes)
    for choice in choices:
        writer.add(choice)
    return writer.lines
