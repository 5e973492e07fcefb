"""SVG drawings of blocks: boxes of text in layers, and edges between them.

A dependency edge joins two blocks one of which waits for the other; a forbidden edge, red and
dashed, joins two blocks that may not be fused. A block is placed below all blocks that it waits
for, and within a layer near those (one sweep of their mean position); layers that are too wide are
wrapped.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

CHARACTER, LINE, PAD, GAP = 7.3, 16, 8, 46  # pixels: of the font, the box and the gaps
SAMPLE = 50  # pixels to the text of the legend, after the sample of an edge
MOST_WIDTH = 960.0  # of a row of boxes, unless a single box is wider

Pair = tuple[int, int]


@dataclass
class Box:
    """A block: its lines with their CSS classes, and its position."""

    lines: list[tuple[str, str]]
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return max((len(line) for line, _ in self.lines), default=0) * CHARACTER + 2 * PAD

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + 2 * PAD

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass
class Edge:
    """A curve by its four control points, with a tooltip."""

    kind: str
    points: list[tuple[float, float]]
    tip: str

    def svg(self) -> str:
        first, *others = [f"{x:.1f},{y:.1f}" for x, y in self.points]
        way = f"M{first} C{' '.join(others)}"
        return f'<path class="{self.kind}" d="{way}"><title>{escape(self.tip)}</title></path>'


class Picture:
    """Boxes by their lines, and edges by numbers of boxes from 0; `noun` is what a box shows."""

    def __init__(
        self,
        boxes: list[list[tuple[str, str]]],
        arrows: dict[Pair, list[str]],
        forbidden: list[tuple[int, int, str]],
        title: str,
        note: str = "",
        noun: str = "block",
    ) -> None:
        self.boxes = [Box(lines) for lines in boxes]
        self.arrows, self.forbidden, self.title, self.note = arrows, forbidden, title, note
        self.noun = noun
        self._place()

    def _layers(self) -> list[list[int]]:
        """Groups blocks by their longest dependency chain; they are in execution order."""
        depth = [0] * len(self.boxes)
        for a, b in sorted(self.arrows):
            if a < b:  # a merged block may wait for its own earlier repetition
                depth[b] = max(depth[b], depth[a] + 1)
        rows: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
        for block, layer in enumerate(depth):
            rows[layer].append(block)
        return rows

    def _place(self) -> None:
        boxes = self.boxes
        before: dict[int, list[int]] = {}
        for a, b in self.arrows:
            if a < b:
                before.setdefault(b, []).append(a)
        y = 2.0 * LINE
        for row in self._layers():
            means = {
                b: sum(boxes[a].middle for a in before[b]) / len(before[b])
                for b in row
                if b in before
            }
            row.sort(key=lambda b: (means.get(b, 0.0), b))
            x = height = 0.0
            for b in row:
                if x and x + boxes[b].width > MOST_WIDTH:
                    y, x, height = y + height + GAP, 0.0, 0.0
                boxes[b].x, boxes[b].y = x + GAP / 2, y
                x += boxes[b].width + GAP
                height = max(height, boxes[b].height)
            y += height + GAP

    def edges(self) -> list[Edge]:
        found = []
        for a, b, reason in self.forbidden:
            tip = f"{self.noun}s {a} and {b}: {reason}"
            found.append(_around(self.boxes[a], self.boxes[b], tip))
        for (a, b), tips in self.arrows.items():
            found.append(_down(self.boxes[a], self.boxes[b], ", ".join(tips)))
        return found

    def legend(self) -> list[tuple[str, str]]:
        """Returns the kinds of edges in the picture, with their meanings."""
        meanings = {
            "dependency": f"the {self.noun} at the tip waits for the other",
            "forbidden": f"these two {self.noun}s cannot be one; the tooltip of the line says why",
        }
        shown = {"dependency": self.arrows, "forbidden": self.forbidden}
        return [(kind, meaning) for kind, meaning in meanings.items() if shown[kind]]

    def svg(self) -> str:
        edges, legend = self.edges(), self.legend()
        # A curve stays within the hull of its control points.
        right = [x for edge in edges for x, _ in edge.points]
        right += [box.x + box.width for box in self.boxes] + [CHARACTER * len(self.title)]
        right += [SAMPLE + CHARACTER * len(meaning) for _, meaning in legend]
        left = min([0.0, *(x for edge in edges for x, _ in edge.points)])
        bottom = max([box.y + box.height for box in self.boxes], default=3.0 * LINE)
        width, height = max(right) - left + GAP / 2, bottom + GAP + LINE * len(legend)
        out = [HEAD.format(width=width, height=height, left=left - PAD / 2)]
        out.append(f'<text class="head" x="{PAD}" y="{LINE}">{escape(self.title)}</text>')
        out += [edge.svg() for edge in edges]
        for box in self.boxes:
            out.append(
                f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
                f'height="{box.height:.1f}" rx="6"/>'
            )
            for k, (line, kind) in enumerate(box.lines):
                x, y = box.x + PAD, box.y + PAD + (k + 0.75) * LINE
                out.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(line)}</text>')
        for k, (kind, meaning) in enumerate(legend):
            y = bottom + GAP / 2 + k * LINE
            way = f"M{PAD},{y:.1f} H{SAMPLE - PAD}"
            out.append(f'<path class="{kind} legend" d="{way}"/>')
            out.append(f'<text x="{SAMPLE}" y="{y + LINE / 4:.1f}">{escape(meaning)}</text>')
        if self.note:
            out.append(f'<text class="traffic" x="{PAD}" y="{height - PAD}">{self.note}</text>')
        return "\n".join([*out, "</svg>", ""])


# The style names the picture's class in every rule: a style in an SVG applies to the whole page.
HEAD = """<svg xmlns="http://www.w3.org/2000/svg" class="hassium-blocks" width="{width:.0f}" \
height="{height:.0f}" viewBox="{left:.0f} 0 {width:.0f} {height:.0f}">
<style>
.hassium-blocks rect {{ fill: #f7f7f4; stroke: #555 }}
.hassium-blocks text {{ font: 12px monospace; white-space: pre; fill: #222 }}
.hassium-blocks > text {{ paint-order: stroke; stroke: #fff; stroke-width: 2px }}
.hassium-blocks .head {{ font-weight: bold }}
.hassium-blocks .traffic {{ fill: #36648b }}
.hassium-blocks path {{ fill: none; stroke-width: 1.3 }}
.hassium-blocks .dependency {{ stroke: #666; marker-end: url(#hassium-tip) }}
.hassium-blocks .forbidden {{ stroke: #c33; stroke-dasharray: 5 4; opacity: 0.6 }}
</style>
<defs><marker id="hassium-tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0,0 L8,4 L0,8 z" style="fill: #666"/></marker></defs>"""


def _around(a: Box, b: Box, tip: str) -> Edge:
    """Joins two sides: the facing ones at one height, else around the right ones."""
    if a.y == b.y:
        left, right = sorted((a, b), key=lambda box: box.x)
        x1, y1 = left.x + left.width, left.y + left.height / 2
        x2, y2 = right.x, right.y + right.height / 2
        bend = (x1 + x2) / 2
    else:
        x1, y1 = a.x + a.width, a.y + a.height / 2
        x2, y2 = b.x + b.width, b.y + b.height / 2
        bend = max(x1, x2) + GAP / 2 + min(abs(y2 - y1) / 12, 2 * GAP)
    return Edge("forbidden", [(x1, y1), (bend, y1), (bend, y2), (x2, y2)], tip)


def _down(a: Box, b: Box, tip: str) -> Edge:
    """Joins the bottom of `a` with the top of `b`; around the left if `b` is above."""
    if a.y < b.y:
        x1, y1, x2, y2 = a.middle, a.y + a.height, b.middle, b.y
        bend = (y2 - y1) / 2
        return Edge("dependency", [(x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2)], tip)
    y1, y2 = a.y + a.height / 2, b.y + b.height / 2
    if a is b or y1 == y2:
        y1, y2 = y1 + LINE / 2, y2 - LINE / 2
    bend = min(a.x, b.x) - GAP / 2
    return Edge("dependency", [(a.x, y1), (bend, y1), (bend, y2), (b.x, y2)], tip)
