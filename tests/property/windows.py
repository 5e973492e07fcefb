"""Random programs on few pieces of memory, seen through many views.

A program is text over numbers (sizes, offsets, distances) that are assigned by its first line, so
that the same program runs at many of them: views that were apart meet, and plans that were made for
one relation of views are bound, or must not be, to another. Everything is exact: numbers are whole
and stay small.

Of three kinds: windows move within arrays of the library and are read while their neighbours are
written; NumPy's memory is lent through views that lie in it in any way, changed from both sides;
and a turn is taken many times, with elements and sums that are read or only used, so that what the
library learns of a program's habits sets in.
"""

from __future__ import annotations

import random

Numbers = dict[str, int]

DTYPES = ["f8", "f8", "f4", "i8", "i4", "i2"]
EXTENTS = [
    [1, 2, 3, 5, 8, 17, 33],
    [16, 33, 63, 64, 65, 70],
    [100, 127, 129, 257, 1025],
]
# Views of shape (n, m) in memory v1 of 2 * n * m + 4 * n + 40 elements.
LENT = [
    "v1[{o}:{o} + n * m].reshape(n, m)",
    "v1[{o}:{o} + n * m].reshape(m, n).T",
    "v1[{o}:{o} + n * m].reshape(n, m)[::-1]",
    "v1[{o}:{o} + n * m][::-1].reshape(n, m)",
    "v1[{o}:{o} + n * m].reshape(n, m)[:, ::-1]",
    "v1[{o}:{o} + 2 * n * m].reshape(n, 2 * m)[:, ::2]",
    "v1[{o}:{o} + 2 * n * m].reshape(n, 2 * m)[:, m:]",
    "v1[{o}:{o} + 2 * n * m].reshape(2 * n, m)[1::2]",
    "v1[{o}:{o} + 2 * n * m:2].reshape(n, m)",
    "v1[{o}:{o} + n * m + n].reshape(n, m + 1)[:, 1:]",
    "v1[{o}:{o} + n * m + n].reshape(n, m + 1)[::-1, :-1]",
    "v1[: 2 * n * m].view([('x', v1.dtype), ('y', v1.dtype)])['y'].reshape(n, m)",
]
# What only is read may hold elements many times.
READ = [
    "numpy.lib.stride_tricks.sliding_window_view(v1, m)[{o}:{o} + n]",
    "numpy.broadcast_to(v1[{o}:{o} + m], (n, m))",
    "numpy.broadcast_to(v1[{o}:{o} + n, None], (n, m))",
]
SHIFTS = [
    ("[d:]", "[:-d]"),
    ("[:-d]", "[d:]"),
    ("[:, d:]", "[:, :-d]"),
    ("[:, :-d]", "[:, d:]"),
    ("", "[::-1]"),
    ("", "[:, ::-1]"),
    ("", "[:1]"),
    ("", "[:, :1]"),
    ("[d:, d:]", "[:-d, :-d]"),
    ("[: n // 2]", "[n - n // 2 :]"),
]


class Writer:
    """Lines of one program; `v` names are arrays, which are compared in the end."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0
        self.dtype = self.draw.choice(DTYPES)
        self.extents = self.draw.choice(EXTENTS)

    def fresh(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def values(self, shape: str, size: str) -> str:
        by = self.draw.randrange(1, 8)
        return f"((numpy.arange({size}) * {by} + {self.count}) % 7 - 3).reshape({shape})"

    def numbers(self) -> Numbers:
        draw = self.draw
        extents = draw.sample(self.extents, 2)
        rows, columns = draw.choice(extents), draw.choice(extents)
        if rows * columns > 20_000:
            columns = draw.randrange(1, 20)
        places = {f"p{k}": draw.randrange(6) for k in range(4)}
        if draw.random() < 0.3:
            places["p1"] = places["p0"]
        if draw.random() < 0.3:  # side by side
            places["p2"] = places["p0"] + rows
        return places | {"n": rows, "m": columns, "d": draw.randrange(1, 4)}


def operand(w: Writer, names: list[str]) -> str:
    kind = w.draw.random()
    if kind < 0.15:
        return w.draw.choice(["2", "3"])
    if kind < 0.35:
        return w.draw.choice(names) + w.draw.choice(["[:1]", "[:, :1]", "[::-1]", "[:, ::-1]"])
    return w.draw.choice(names)


def lent(w: Writer) -> None:
    """In-place work on NumPy's memory, lent through views, beside arrays of the library."""
    draw = w.draw
    memory = w.values("-1", "2 * n * m + 4 * n + 40")
    w.lines.append(f"{w.fresh()} = {memory}.astype({w.dtype!r})")
    written, names = [], []
    for _ in range(draw.randrange(1, 5)):
        place, reads = draw.choice(["p0", "p1", "p3", "0"]), draw.random() < 0.2
        name = w.fresh()
        w.lines.append(f"{name} = {draw.choice(READ if reads else LENT).format(o=place)}")
        names.append(name)
        if not reads:
            written.append(name)
    for shape, size in [("n, m", "n * m"), ("n, 1", "n"), ("1, m", "m")]:
        name = w.fresh()
        w.lines.append(f"{name} = np.array({w.values(shape, size)}, {w.dtype!r})")
        names.append(name)
        if size == "n * m":
            written.append(name)
    for _ in range(draw.randrange(3, 10)):
        x, y, z = draw.choice(written), operand(w, names), operand(w, names)
        one, other = draw.choice(SHIFTS)
        f = draw.choice(["add", "subtract", "maximum", "minimum"])
        w.lines.append(
            draw.choice(
                [
                    f"{x} {draw.choice(['+=', '-='])} {y}",
                    f"{x}{one} {draw.choice(['+=', '-='])} {x}{other}",
                    f"np.{f}({y}, {z}, out={x})",
                    f"np.{f}({y}, {z}, out={x}, where={draw.choice(names)} > 0)",
                    f"np.{f}({x}{one}, {x}{other}, out={x}{one})",
                    f"np.copyto({x}, {y}, where={draw.choice(names)} > 1)",
                    f"{x} -= {draw.choice(written)}.max(axis={draw.randrange(2)}, keepdims=True)",
                    f"{x}[{x} > 9] = 1",
                    f"np.minimum({x}, 5, out={x})",
                    f"np.maximum.accumulate({x}, axis={draw.randrange(2)}, out={x})",
                    f"numpy.add({draw.choice(written)}, 1, out={draw.choice(written)})",
                    f"v1[p2 : p2 + m] += 1; {w.fresh()} = np.add({y}, {z})",
                    f"{w.fresh()} = np.subtract({y}, {z}); np.add({x}, {y}, out={x})",
                ]
            )
        )


def windows(w: Writer) -> None:
    """Windows of arrays that are read and written in any order, for a whole flush."""
    draw = w.draw
    bases: list[str] = []
    made: list[str] = []
    for _ in range(draw.randrange(1, 4)):
        name = w.fresh()
        size = "(n + 20) * (m + 20)"
        shape = draw.choice(["n + 20, m + 20"] * 3 + ["m + 20, n + 20"])
        turned = ".T" if shape.startswith("m") else ""
        w.lines.append(f"{name} = np.array({w.values(shape, size)}, {w.dtype!r}){turned}")
        bases.append(name)

    def window() -> str:
        row, column = (draw.choice(["p0", "p1", "p2 % 12", "p3", "p0 + 1", "d"]) for _ in "rc")
        turned = draw.choice([""] * 6 + ["[::-1]", "[:, ::-1]"])
        return f"{draw.choice(bases)}[{row} : {row} + n, {column} : {column} + m]{turned}"

    def term() -> str:
        return str(draw.choice([window(), window(), window(), draw.choice(made or ["3"]), "2"]))

    for _ in range(draw.randrange(3, 11)):
        x = draw.choice(bases)
        forms = [
            f"{window()} {draw.choice(['+=', '-='])} {term()}",
            f"{window()}[...] = {window()} {draw.choice('+-')} {term()}",
            f"{window()}[...] = np.maximum({window()}, {term()})",
            f"np.copyto({window()}, {term()}, where={window()} > {term()})",
            f"{window()}[...] = {window()}[::-1, ::-1] + 0",
            f"{x}[p0] = {x}[p3]",
            f"{x}[:, -1] = {x}[:, p0] + 1",
            f"{x}[...] = np.roll({x}, p1, {draw.randrange(2)}) - {x}",
            f"{window()} -= {window()}.min(axis={draw.randrange(2)}, keepdims=True)",
            f"{window()}[...] = np.maximum.accumulate({window()}, axis={draw.randrange(2)})",
            f"{window()}[...] = 1",
            f"np.minimum({x}, 20, out={x})",
        ]
        line = draw.choice(forms)
        if draw.random() < 0.25:
            name = w.fresh()
            line = f"{name} = {window()} {draw.choice('+-')} {term()}"
            made.append(name)
        w.lines.append(line)


def turns(w: Writer) -> None:
    """One turn of a loop eight times; `s` is a number, v4 holds positions."""
    draw = w.draw
    for shape, size in [("n, m", "n * m")] * 2 + [("m,", "m")]:
        w.lines.append(f"{w.fresh()} = np.array({w.values(shape, size)}, {w.dtype!r})")
    w.lines.append(f"{w.fresh()} = np.array(numpy.arange(n)[::-1].copy()); s = 1")
    a, b = draw.choice([("v1", "v2"), ("v2", "v1")])
    forms = [
        f"{a} += {b}",
        f"{b} = {a} - s",
        f"{a}, {b} = {b}, {a}",
        f"{a}[d:] -= {a}[:-d]",
        f"{a}[0] = {a}[-1]; {a}[-1] = {a}[t % n]",
        f"{a}[:, 0] = {a}[:, -1]; {a}[:, -1] = 0",
        f"{a}[0, 0] = {b}[-1, -1]; v3[0] = {a}[0, t % m]",
        f"{b}[t % n :, 0] -= {b}[t % n, 0]",
        f"{a}[t % n] = v3",
        f"v3 = {a}[t * 7 % n] + {b}[t * 5 % n]",
        f"v3 -= {b}.max(axis=0)",
        f"{a} = {b}[v4]",
        f"{a}[v4] = {b}",
        f"{b}[[0, t % n]] = {b}[[t % n, 0]]",
        f"{a}[{b} > 2] = s",
        "v4 = np.roll(v4, t)",
        f"v5 = {a} * 2; {b} -= v5; del v5",
        f"{a} = np.concatenate([{a}[1:], {b}[:1]])",
        f"e1 = numpy.asarray({b}); e1[t % n] += 1",
        f"s = {a}[t % n, 0]",
        f"s = int({a}.max()) % 3",
        f"s = v3[0]; v3[0] = 1; {a} += s",
        f"v1 += int(v3.argmax()) if {a}[0, 0] > 0 else 0",
    ]
    turn = draw.sample(forms, draw.randrange(2, 8))
    turn += [f"np.minimum(np.maximum({x}, -20), 20, out={x})" for x in ("v1", "v2", "v3")]
    if draw.random() < 0.6:
        turn.append(draw.choice([f"r1 = {a}.tolist()", f"r1 = {b}[0, 0].item()"]))
    for t in range(8):
        w.lines += [f"t = {t}", *turn]


KINDS = {"lent": lent, "windows": windows, "turns": turns}


def write(kind: str, seed: int, times: int) -> list[list[str]]:
    """One program at several numbers: its lines, the first of which assigns these."""
    w = Writer(seed)
    KINDS[kind](w)
    each = [w.numbers() for _ in range(times)]
    return [["; ".join(f"{k} = {v}" for k, v in n.items()), *w.lines] for n in each]
