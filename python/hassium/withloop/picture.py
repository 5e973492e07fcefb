"""Drawings of generators over one or two axes: a colour per operation, a frame per box.

A grid is a rectangle filled with a pattern of one step, so the number of SVG elements is the number
of grids in the dump, whatever the size of the array.
"""

from __future__ import annotations

from html import escape

from hassium.withloop.dumps import Axis, Grid, Place

SIDE, CELL, PAD, LINE = 480.0, 24.0, 12.0, 18.0  # pixels: longest side, largest element, spaces
STYLE = "text { font: 12px monospace } .frame { fill: none; stroke: #333; stroke-width: 0.7 }"


def colour(number: int) -> str:
    """Returns hues that are a golden angle apart."""
    return f"hsl({number * 137.5 % 360:.1f}, 55%, {62 + 12 * (number % 3)}%)"


class Picture:
    """One panel for each phase, each drawn from its grids."""

    def __init__(self, shape: Place, phases: dict[str, list[Grid]]) -> None:
        if not 1 <= len(shape) <= 2:
            raise ValueError(f"a picture shows one or two axes, not {len(shape)}")
        self.rows, self.columns = shape if len(shape) == 2 else (1, *shape)
        self.phases = phases
        self.scale = min(CELL, SIDE / max(self.rows, self.columns, 1))
        names = dict.fromkeys(grid.op for grids in phases.values() for grid in grids)
        self.colours = {name: colour(k) for k, name in enumerate(names)}
        self.patterns = 0

    def rectangle(self, grid: Grid, left: float, top: float) -> list[str]:
        """Draws a frame around the box, filled with the grid's pattern from its corner on."""
        lower, upper, axes = grid.lower, grid.upper, grid.axes
        if len(axes) == 1:
            lower, upper, axes = (0, *lower), (1, *upper), (Axis(0, 1, 1), *axes)
        y, x = (low * self.scale + start for low, start in zip(lower, (top, left), strict=True))
        height, width = ((b - a) * self.scale for a, b in zip(lower, upper, strict=True))
        # A pattern of one step with the run inside. A dense axis has one step, as long as the box.
        spans = [
            (0, b - a, b - a) if axis.width == axis.step else axis
            for a, b, axis in zip(lower, upper, axes, strict=True)
        ]
        (oy, wy, sy), (ox, wx, sx) = ([n * self.scale for n in span] for span in spans)
        self.patterns += 1
        place = f'x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
        return [
            f'<pattern id="p{self.patterns}" patternUnits="userSpaceOnUse" x="{x:.2f}" '
            f'y="{y:.2f}" width="{sx:.2f}" height="{sy:.2f}"><rect x="{ox:.2f}" y="{oy:.2f}" '
            f'width="{wx:.2f}" height="{wy:.2f}" fill="{self.colours[grid.op]}"/></pattern>',
            f'<rect class="frame" {place} style="fill: url(#p{self.patterns})">'
            f"<title>{escape(grid.op)}</title></rect>",
        ]

    def legend(self, top: float) -> list[str]:
        out = []
        for k, (name, fill) in enumerate(self.colours.items()):
            x = PAD + 90 * k
            out.append(f'<rect x="{x}" y="{top}" width="12" height="12" fill="{fill}"/>')
            out.append(f'<text x="{x + 16}" y="{top + 11}">{escape(name)}</text>')
        return out

    def svg(self) -> str:
        height, width = self.rows * self.scale, self.columns * self.scale
        body: list[str] = []
        top = LINE
        for name, grids in self.phases.items():
            body.append(f'<text x="{PAD}" y="{top}">{escape(name)}</text>')
            for grid in grids:
                body += self.rectangle(grid, PAD, top + PAD / 2)
            top += height + PAD + LINE
        body += self.legend(top - LINE / 2)
        right = max(width, 90.0 * len(self.colours)) + 2 * PAD
        size = f'width="{right:.0f}" height="{top + LINE:.0f}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
        return "\n".join([head, f"<style>{STYLE}</style>", *body, "</svg>", ""])
