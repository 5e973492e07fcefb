"""Random programs in text form: few bases, views that overlap, reductions, del and sync, takes."""

from __future__ import annotations

import random

VIEWS = ["[0+(4:1)]", "[1+(4:1)]", "[4+(4:1)]", "[0+(4:2)]", "[7+(4:-1)]", "[0+(2:4,4:1)]", ""]
VIEWS += ["[0+(4:2,2:1)]", "[0+(2:1,4:2)]"]


def random_program(seed: int, most: int, gathers: bool = False) -> str:
    """A legal program of at most that many instructions; with `gathers` a fifth are takes."""
    chance = random.Random(seed)
    names = ["a", "b", "c", "d"]
    lines = [f"base {n} float64 8{chance.choice(['', ' input'])}" for n in names]
    lines.append("base s float64 8")
    if gathers:
        lines += ["base i int64 4 input", "base j int64 8 input"]
    alive = list(names)
    for _ in range(chance.randint(1, most)):
        kind = chance.randrange(13 if gathers else 10)
        base = chance.choice(alive)
        if kind == 0 and len(alive) > 2:
            alive.remove(base)
            lines.append(f"del {base}")
        elif kind == 1:
            lines.append(f"sync {base}")
        elif kind == 2:
            lines.append(f"add.reduce axis=0 s[0+()] {base}[0+(4:1)]")
        elif kind == 3:
            view = chance.choice(VIEWS)
            lines.append(f"add {base}{view} 1.0 s[0+()]")
        elif kind > 9:
            source = chance.choice([name for name in alive if name != base])
            view, index = chance.choice([("[0+(4:1)]", "i"), ("[4+(4:1)]", "i"), ("", "j")])
            lines.append(f"take axis=0 {base}{view} {source} {index}")
        else:
            view = chance.choice(VIEWS)
            first, second = chance.choice(alive), chance.choice(alive)
            lines.append(f"add {base}{view} {first}{view} {second}{view}")
    return "\n".join(lines) + "\n"
