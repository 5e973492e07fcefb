"""Pictures of partitions: blocks with their instructions, what they read and write, and edges.

A dependency edge joins two blocks one of which waits for the other; a forbidden edge, red and
dashed, two blocks that may not become one. The layout of the SVG is layered: a block stands below
all blocks that it waits for, and within a layer near those (one sweep of their mean position).
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

CHARACTER, LINE, PAD, GAP = 7.3, 16, 8, 46  # pixels: of the font, a box and the space between


def instruction_lines(text: str) -> list[str]:
    """The lines of a program that are instructions."""
    lines = (line.partition("#")[0].split() for line in text.splitlines())
    return [" ".join(words) for words in lines if words and words[0] != "base"]


@dataclass
class Box:
    """A block in the SVG: its lines with their CSS classes, and its place."""

    lines: list[tuple[str, str]]
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max(len(line) for line, _ in self.lines) * CHARACTER + 2 * PAD

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PAD

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


class Picture:
    """One partition of one program, as ``debug.partition(described=True)`` tells it."""

    def __init__(self, text: str, result: dict[str, Any], title: str) -> None:
        self.lines = instruction_lines(text)
        self.blocks: list[list[int]] = result["blocks"]
        self.told: dict[str, Any] = result["description"]
        self.title = title
        self.block_of = {i: k for k, block in enumerate(self.blocks) for i in block}

    def arrows(self) -> dict[tuple[int, int], list[str]]:
        """Pairs of blocks, the second of which waits for the first, with the instructions."""
        found: dict[tuple[int, int], list[str]] = {}
        for a, b in self.told["dependencies"]:
            pair = self.block_of[a], self.block_of[b]
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{a} before {b}")
        return found

    def traffic(self, block: int) -> list[str]:
        """What a block reads and writes from outside, and what it contracts."""
        rows = [(what, self.told[what][block]) for what in ("reads", "writes", "contracted")]
        return [f"{what}: {' '.join(names)}" for what, names in rows if names]

    def note(self) -> str:
        """Said when forbidden edges are missing."""
        many = len(self.blocks) > 200
        return "more than 200 blocks: forbidden edges are left out" if many else ""

    def dot(self) -> str:
        out = ["digraph wsp {", f"  label={quote(' '.join([self.title, self.note()]))};"]
        out += ["  node [shape=box, fontname=monospace];", "  compound=true;"]
        for k, block in enumerate(self.blocks):
            label = "\n".join([f"block {k}", *self.traffic(k)])
            out.append(f"  subgraph cluster_{k} {{\n    label={quote(label)};")
            out += [f"    i{i} [label={quote(f'{i}: {self.lines[i]}')}];" for i in block]
            out.append("  }")
        out += [f"  i{a} -> i{b};" for a, b in self.told["dependencies"]]
        for a, b, i, j, reason in self.told["forbidden"]:
            out.append(
                f"  i{i} -> i{j} [dir=none, style=dashed, color=red, constraint=false, "
                f"ltail=cluster_{a}, lhead=cluster_{b}, tooltip={quote(reason)}];"
            )
        return "\n".join([*out, "}", ""])

    def layers(self) -> list[list[int]]:
        """Blocks by the longest way to them; they come in execution order."""
        depth = [0] * len(self.blocks)
        for a, b in sorted(self.arrows()):
            depth[b] = max(depth[b], depth[a] + 1)
        rows: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
        for block, layer in enumerate(depth):
            rows[layer].append(block)
        return rows

    def place(self) -> list[Box]:
        boxes = []
        for k, block in enumerate(self.blocks):
            lines = [(f"block {k}", "head")]
            lines += [(f"{i}: {self.lines[i]}", "code") for i in block]
            lines += [(line, "traffic") for line in self.traffic(k)]
            boxes.append(Box(lines))
        before: dict[int, list[int]] = {}
        for a, b in self.arrows():
            before.setdefault(b, []).append(a)
        y = 2.0 * LINE
        for row in self.layers():
            means = {
                b: sum(boxes[a].middle for a in before[b]) / len(before[b])
                for b in row[:]
                if b in before
            }
            row.sort(key=lambda b: (means.get(b, 0.0), b))
            x = 0.0
            for b in row:
                boxes[b].x, boxes[b].y = x + GAP / 2, y
                x += boxes[b].width + GAP
            y += max(boxes[b].height for b in row) + GAP
        return boxes

    def svg(self) -> str:
        boxes = self.place()
        width = max(
            [box.x + box.width + GAP for box in boxes] + [CHARACTER * len(self.title) + GAP]
        )
        height = max((box.y + box.height + GAP for box in boxes), default=4.0 * LINE)
        out = [HEAD.format(width=width, height=height)]
        out.append(f'<text class="head" x="{PAD}" y="{LINE}">{escape(self.title)}</text>')
        for a, b, i, j, reason in self.told["forbidden"]:
            tip = f"blocks {a} and {b}, instructions {i} and {j}: {reason}"
            out.append(edge("forbidden", *sides(boxes[a], boxes[b]), tip))
        for (a, b), pairs in self.arrows().items():
            ends = boxes[a].middle, boxes[a].y + boxes[a].height, boxes[b].middle, boxes[b].y
            out.append(edge("dependency", *ends, ", ".join(pairs)))
        for box in boxes:
            out.append(
                f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
                f'height="{box.height:.1f}" rx="6"/>'
            )
            for k, (line, kind) in enumerate(box.lines):
                x, y = box.x + PAD, box.y + PAD + (k + 0.75) * LINE
                out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(line)}</text>')
        if self.note():
            out.append(f'<text class="traffic" x="{PAD}" y="{height - PAD}">{self.note()}</text>')
        return "\n".join([*out, "</svg>", ""])


HEAD = """<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}">
<style>
rect {{ fill: #f7f7f4; stroke: #555 }}
text {{ font: 12px monospace; white-space: pre }}
.head {{ font-weight: bold }}
.traffic {{ fill: #36648b }}
path {{ fill: none; stroke-width: 1.3 }}
.dependency {{ stroke: #333; marker-end: url(#tip) }}
.forbidden {{ stroke: #c33; stroke-dasharray: 5 4; opacity: 0.6 }}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0,0 L8,4 L0,8 z" style="fill: #333"/></marker></defs>"""


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}"'


def sides(a: Box, b: Box) -> tuple[float, float, float, float]:
    """Ends of a line between two boxes: facing sides in a layer, else right sides."""
    if a.y == b.y:
        left, right = sorted((a, b), key=lambda box: box.x)
        return left.x + left.width, left.y + left.height / 2, right.x, right.y + right.height / 2
    return a.x + a.width, a.y + a.height / 2, b.x + b.width, b.y + b.height / 2


def edge(kind: str, x1: float, y1: float, x2: float, y2: float, tip: str) -> str:
    """A curve that leaves and arrives upright (dependencies) or from the side (forbidden)."""
    if kind == "dependency":
        bend = (y2 - y1) / 2
        first, second = (x1, y1 + bend), (x2, y2 - bend)
    else:
        # Boxes at one height face each other; others are joined around their right sides.
        out = (x1 + x2) / 2 if y1 == y2 else max(x1, x2) + GAP / 2 + abs(y2 - y1) / 12
        first, second = (out, y1), (out, y2)
    points = [f"{x:.1f},{y:.1f}" for x, y in ((x1, y1), first, second, (x2, y2))]
    way = f"M{points[0]} C{' '.join(points[1:])}"
    return f'<path class="{kind}" d="{way}"><title>{escape(tip)}</title></path>'
