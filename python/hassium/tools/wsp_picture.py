"""A described partition of a program (`debug.partition`), for graphviz and as SVG."""

from __future__ import annotations

from typing import Any

from hassium.tools.diagnosis.flushes import instruction_lines
from hassium.tools.picture import Picture


class PartitionPicture:
    """Blocks with their instructions, reads, writes and contracted arrays."""

    def __init__(self, text: str, result: dict[str, Any], title: str) -> None:
        self.lines = instruction_lines(text)
        self.blocks: list[list[int]] = result["blocks"]
        self.described: dict[str, Any] = result["description"]
        self.title = title
        self.block_of = {i: k for k, block in enumerate(self.blocks) for i in block}

    def arrows(self) -> dict[tuple[int, int], list[str]]:
        """Returns pairs of blocks, the second waiting for the first, with the instructions."""
        found: dict[tuple[int, int], list[str]] = {}
        for a, b in self.described["dependencies"]:
            pair = self.block_of[a], self.block_of[b]
            if pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{a} before {b}")
        return found

    def traffic(self, block: int) -> list[str]:
        """Returns what a block reads and writes outside of itself, and what it contracts."""
        rows = [(what, self.described[what][block]) for what in ("reads", "writes", "contracted")]
        return [f"{what}: {' '.join(names)}" for what, names in rows if names]

    def note(self) -> str:
        """Returns the note for missing forbidden edges."""
        many = len(self.blocks) > 200
        return (
            "more than 200 blocks: forbidden edges only where one waits for the other"
            if many
            else ""
        )

    def dot(self) -> str:
        out = ["digraph wsp {", f"  label={quote(' '.join([self.title, self.note()]))};"]
        out += ["  node [shape=box, fontname=monospace];", "  compound=true;"]
        for k, block in enumerate(self.blocks):
            label = "\n".join([f"block {k}", *self.traffic(k)])
            out.append(f"  subgraph cluster_{k} {{\n    label={quote(label)};")
            out += [f"    i{i} [label={quote(f'{i}: {self.lines[i]}')}];" for i in block]
            out.append("  }")
        out += [f"  i{a} -> i{b};" for a, b in self.described["dependencies"]]
        for a, b, i, j, reason in self.described["forbidden"]:
            out.append(
                f"  i{i} -> i{j} [dir=none, style=dashed, color=red, constraint=false, "
                f"ltail=cluster_{a}, lhead=cluster_{b}, tooltip={quote(reason)}];"
            )
        return "\n".join([*out, "}", ""])

    def svg(self) -> str:
        boxes = []
        for k, block in enumerate(self.blocks):
            lines = [(f"block {k}", "head")]
            lines += [(f"{i}: {self.lines[i]}", "code") for i in block]
            boxes.append([*lines, *((line, "traffic") for line in self.traffic(k))])
        forbidden = [
            (a, b, f"instructions {i} and {j}: {reason}")
            for a, b, i, j, reason in self.described["forbidden"]
        ]
        return Picture(boxes, self.arrows(), forbidden, self.title, self.note()).svg()


def quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
    return f'"{escaped}"'
