"""Programs of combinators in text form: the examples of "Fusing Gathers with Integer Linear
Programming", programs of the sizes of its benchmarks, and random ones."""

from __future__ import annotations

import random

PAPER = {
    "singleLoop": """
        input as
        inds = generate
        bs = gather inds as
        cs = map as
        ds = map cs
        result = map bs cs ds
        return result
    """,
    "simple1": """
        input is
        input xs
        as = map xs
        bs = gather is as
        return bs
    """,
    "simple2": """
        input is1
        input is2
        input xs
        as = gather is1 xs
        bs = gather is2 as
        return bs
    """,
    "simple3": """
        input is
        input xs
        as = map xs
        bs = gather is as
        return as bs
    """,
    "simple4": """
        input is
        input xs
        as = fold xs
        bs = gather is as
        return bs
    """,
    "simple5": """
        input is
        input xs
        as = map xs
        bs = gather is xs
        cs = map as bs
        return cs
    """,
    "scan then gather": """
        input is
        input xs
        as = scanl xs
        bs = gather is as
        return bs
    """,
    "scans from both sides": """
        input xs
        as = scanl xs
        bs = scanr xs
        cs = map as bs
        return cs
    """,
    "scanr": """
        input xs
        as = map xs
        bs = scanr as
        cs = map bs
        return cs
    """,
    "scatterExample": """
        input xs
        as = map xs
        bs = map xs
        result = scatter bs as
        return result
    """,
    "greedyBottomUpBad": """
        input xs 10
        is = generate size=1000
        large = gather is xs
        ys = fold large size=10
        zs = fold large size=10
        result = map ys ! zs
        return result
    """,
    "greedyTopDownBad": """
        input as
        bs = map as
        cs = map bs
        ds = generate ! bs
        es = map cs ds
        result = fold es
        return result
    """,
}


class Writer:
    """Lines of a program."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def input(self, name: str, size: int) -> str:
        self.lines.append(f"input {name} {size}")
        return name

    def make(self, kind: str, *arrays: str, **options: float) -> str:
        """A combinator; its array is named by its place."""
        name = f"v{len(self.lines)}"
        words = [name, "=", kind, *arrays, *(f"{k}={v:g}" for k, v in options.items())]
        self.lines.append(" ".join(words))
        return name

    def text(self, *results: str) -> str:
        return "\n".join([*self.lines, "return " + " ".join(results)])


def attention(tiles: int = 3, rows: int = 16, columns: int = 16, depth: int = 8) -> str:
    """Attention by tiles of keys: running maxima, sums and weighted values of each row of queries.

    Products of matrices are gathers of both factors to three axes, a map and a fold.
    """
    w = Writer()
    q = w.input("q", rows * depth)
    scores, wide = rows * columns, rows * columns * depth
    top = w.make("generate", size=rows)
    total = w.make("generate", size=rows)
    weighted = w.make("generate", size=rows * depth)
    row_of = w.make("generate", size=scores)
    for tile in range(tiles):
        k, v = (w.input(f"{name}_{tile}", columns * depth) for name in "kv")
        q_at = w.make("generate", size=wide)
        left, right = w.make("gather", q_at, q), w.make("gather", q_at, k)
        s = w.make("fold", w.make("map", left, right), size=scores)
        next_top = w.make("map", top, w.make("fold", s, size=rows))
        p = w.make("map", s, w.make("gather", row_of, next_top), work=20)
        fade = w.make("map", top, next_top, work=20)
        total = w.make("map", total, fade, w.make("fold", p, size=rows))
        spread = w.make("gather", w.make("generate", size=rows * depth), fade)
        old = w.make("map", weighted, spread)
        p_wide, v_wide = w.make("gather", q_at, p), w.make("gather", q_at, v)
        new = w.make("fold", w.make("map", p_wide, v_wide), size=rows * depth)
        weighted = w.make("map", old, new)
        top = next_top
    last = w.make("gather", w.make("generate", size=rows * depth), total)
    return w.text(w.make("map", weighted, last))


def hydrodynamics(cells: int = 64) -> str:
    """A step of hydrodynamics on an unstructured mesh.

    Forces of elements are gathered at nodes, nodes move, then come volumes, pressures and energies
    of elements, and the longest step that is stable.
    """
    w = Writer()
    nodes, corners = cells + 1, 8 * cells
    corner, element_of = w.input("corner", corners), w.input("element", 8 * nodes)
    x, u = w.input("x", nodes), w.input("u", nodes)
    energy, pressure, viscosity = (w.input(n, cells) for n in ("e", "p", "q"))
    mass, volume = w.input("mass", nodes), w.input("volume", cells)
    sound = w.make("map", energy, pressure, work=20)
    stress = w.make("map", pressure, viscosity)
    shape = w.make("map", w.make("gather", corner, x))
    area = w.make("fold", shape, size=cells)
    push = w.make("map", stress, area)
    drag = w.make("map", w.make("fold", w.make("gather", corner, u), size=cells), sound)
    total = w.make("map", push, drag)
    force = w.make("fold", w.make("gather", element_of, total), size=nodes)
    speed_up = w.make("map", force, mass, work=4)
    edge = w.make("generate", size=nodes)
    bounded = w.make("map", speed_up, w.make("map", edge))
    new_u = w.make("map", u, bounded)
    small = w.make("map", new_u)
    cut_u = w.make("map", new_u, small)
    new_x = w.make("map", x, cut_u)
    there = w.make("gather", corner, new_x)
    new_volume = w.make("fold", w.make("map", there), size=cells)
    relative = w.make("map", new_volume, volume, work=4)
    change = w.make("map", relative, volume)
    length = w.make("map", new_volume, area, work=20)
    flow = w.make("fold", w.make("map", w.make("gather", corner, cut_u), shape), size=cells)
    strain = w.make("map", flow, new_volume)
    left = w.make("gather", w.make("generate", size=cells), strain)
    right = w.make("gather", w.make("generate", size=cells), strain)
    limit = w.make("map", strain, left, right)
    linear = w.make("map", limit, length)
    square = w.make("map", linear, strain)
    new_q = w.make("map", linear, square, relative)
    half = w.make("map", energy, change, pressure)
    half_p = w.make("map", half, relative)
    new_e = w.make("map", half, half_p, new_q, viscosity)
    cut_e = w.make("map", new_e)
    new_p = w.make("map", w.make("map", cut_e, relative))
    corrected = w.make("map", cut_e, new_p, half_p)
    last_p = w.make("map", corrected, relative)
    new_sound = w.make("map", corrected, last_p, work=20)
    courant = w.make("map", new_sound, length, new_q)
    step = w.make("fold", courant, size=1)
    slow = w.make("fold", w.make("map", strain), size=1)
    next_step = w.make("map", step, slow)
    return w.text(new_x, cut_u, corrected, last_p, new_q, relative, next_step)


def multigrid(levels: int = 3, size: int = 512) -> str:
    """A V-cycle: smoothing, residuals and moves between grids; neighbours are gathers."""
    w = Writer()

    def around(field: str, elements: int) -> list[str]:
        found = []
        for _ in range(3):
            found.append(w.make("gather", w.make("generate", size=elements), field))
        return found

    def smooth(field: str, right: str, elements: int) -> str:
        sides = w.make("map", *around(field, elements))
        return w.make("map", field, w.make("map", sides, right))

    def residual(field: str, right: str, elements: int) -> str:
        return w.make("map", right, w.make("map", field, *around(field, elements)))

    fields, rights = [w.input("u", size)], [w.input("f", size)]
    elements, norms = size, list[str]()
    for _ in range(levels - 1):
        fields[-1] = smooth(fields[-1], rights[-1], elements)
        rest = residual(fields[-1], rights[-1], elements)
        norms.append(w.make("fold", w.make("map", rest), size=1))
        elements //= 8
        coarse = w.make("gather", w.make("generate", size=8 * elements), rest)
        rights.append(w.make("fold", coarse, size=elements))
        fields.append(w.make("generate", size=elements))
    for _ in range(2):
        fields[-1] = smooth(fields[-1], rights[-1], elements)
    for level in reversed(range(levels - 1)):
        elements *= 8
        fine = w.make("gather", w.make("generate", size=elements), fields[level + 1])
        fields[level] = w.make("map", fields[level], w.make("map", fine))
        fields[level] = smooth(fields[level], rights[level], elements)
    rest = residual(fields[0], rights[0], elements)
    return w.text(fields[0], *norms, w.make("fold", w.make("map", rest), size=1))


def random_combinators(seed: int, most: int) -> str:
    """A legal program of at most that many combinators, with sizes and work."""
    chance = random.Random(seed)
    w = Writer()
    sizes = {w.input(name, size): size for name, size in (("a", 2), ("b", 3), ("c", 40))}
    read: set[str] = set()
    made: list[str] = []
    gone: set[str] = set()
    for _ in range(chance.randint(1, most)):
        kind = chance.choices(
            ["map", "gather", "fold", "scanl", "scanr", "scatter", "generate"],
            [8, 6, 2, 1, 1, 1, 1],
        )[0]
        alive = [name for name in [*sizes, *made[-4:]] if name not in gone]
        first, second = chance.choice(alive), chance.choice(alive)
        wanted: list[str] = {
            "generate": [],
            "fold": [first],
            "scanl": [first],
            "scanr": [first],
            "scatter": [first, second],
        }.get(kind, [first, second])
        if kind == "map":
            wanted = wanted[: chance.choice([1, 2])]
            if chance.random() < 0.15:
                wanted += ["!", chance.choice(alive)]
        options: dict[str, float] = {"work": chance.choice([0, 0, 5])}
        if kind in ("fold", "generate"):
            options["size"] = chance.choice([1, 2, 3])
        name = w.make(kind, *wanted, **options)
        read |= set(wanted)
        if kind == "scatter":
            gone.add(first)
        made.append(name)
        sizes[name] = 0
    kept = [n for n in made if n not in read or (n not in gone and chance.random() < 0.15)]
    return w.text(*kept)
