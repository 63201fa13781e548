"""The maps of docs/gallery.md: the resources of a program, each to the right of its dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from clouddb_tools.render.canvas import SVG, Canvas
from clouddb_tools.render.files import with_comment
from clouddb_tools.render.measure import width_of
from clouddb_tools.render.style import INK, svg_css

MARGIN, HIGH, GAP, BETWEEN = 16.0, 44.0, 12.0, 56.0
NAME, KIND = 13.0, 11.5
STYLE = (
    f".arrow{{fill:none;stroke-width:1.5;stroke:{INK[0]};stroke-opacity:.45}}"
    f"@media (prefers-color-scheme:dark){{.arrow{{stroke:{INK[1]}}}}}"
)


@dataclass(frozen=True)
class Node:
    """A resource: its URN, its name, its kind, and the URNs of its dependencies."""

    urn: str
    name: str
    kind: str
    sources: frozenset[str] = frozenset()


def columns(nodes: Sequence[Node]) -> list[list[Node]]:
    """Return the nodes by depth in the dependency graph; nodes without dependencies are next to their dependents."""
    known = {node.urn: node for node in nodes}

    def depth(node: Node) -> int:
        return max((depth(known[each]) + 1 for each in node.sources), default=0)

    places = {node.urn: depth(node) for node in nodes}
    for node in sorted(nodes, key=depth, reverse=True):
        users = [places[each.urn] for each in nodes if node.urn in each.sources]
        places[node.urn] = min(users, default=places[node.urn] + 1) - 1
    columns_: list[list[Node]] = [[] for _ in range(max(places.values(), default=-1) + 1)]
    for node in nodes:
        last: set[str] = set()
        for each in sorted(node.sources):
            via = each
            for place in range(places[each] + 1, places[node.urn]):  # an arrow has a row of its own in each column
                columns_[place].append(Node(f"{each} {node.urn} {place}", "", "", frozenset({via})))
                via = columns_[place][-1].urn
            last.add(via)
        columns_[places[node.urn]].append(replace(node, sources=frozenset(last)))
    rows: dict[str, float] = {}
    for column in columns_:
        column.sort(key=lambda node: (_middle([rows[each] for each in node.sources]), node.kind, node.name))
        rows |= {node.urn: row / len(column) for row, node in enumerate(column)}
    return columns_


def _middle(rows: Sequence[float]) -> float:
    return sum(rows) / len(rows) if rows else 0.0


def needed(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes without indirect dependencies, so that the map is readable."""
    known = {node.urn: node for node in nodes}

    def before(node: Node) -> set[str]:
        return {source for each in node.sources for source in (each, *before(known[each]))}

    far = {node.urn: {source for each in node.sources for source in before(known[each])} for node in nodes}
    return [replace(node, sources=node.sources - far[node.urn]) for node in nodes]


def resource_map(title: str, nodes: Sequence[Node], notice: str) -> str:
    """Return the map as SVG."""
    placed = columns(needed(nodes))
    tallest = max(map(len, placed))
    boxes: dict[str, tuple[float, float, float]] = {}
    x = MARGIN
    for column in placed:
        wide = 24 + max(max(width_of(each.name, NAME, bold=True), width_of(each.kind, KIND)) for each in column)
        top = MARGIN + (tallest - len(column)) * (HIGH + GAP) / 2
        boxes |= {each.urn: (x, top + row * (HIGH + GAP), wide) for row, each in enumerate(column)}
        x += wide + BETWEEN
    width, height = x - BETWEEN + MARGIN, 2 * MARGIN + tallest * (HIGH + GAP) - GAP
    root = ET.Element("svg", {"xmlns": SVG, "role": "img", **_size(width, height)})
    ET.SubElement(root, "title").text = title
    ET.SubElement(root, "style").text = svg_css() + STYLE
    canvas = Canvas(root)
    canvas.rect("page", 0, 0, width, height)
    drawn = [node for column in placed for node in column]
    for node in drawn:
        _draw_arrows(canvas, node, boxes)
    for node in drawn:
        _draw(canvas, node, boxes)
    ET.indent(root, " ")
    svg = ET.tostring(root, encoding="unicode")
    return with_comment(f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n', notice)


def _draw_arrows(canvas: Canvas, node: Node, boxes: Mapping[str, tuple[float, float, float]]) -> None:
    left, top, _ = boxes[node.urn]
    middle = top + HIGH / 2
    for each in sorted(node.sources):
        x, y, w = boxes[each]
        start, other, bend = x + w, y + HIGH / 2, (left - x - w) / 2
        canvas.path("arrow", ["M", start, other, "C", start + bend, other, left - bend, middle, left, middle])


def _draw(canvas: Canvas, node: Node, boxes: Mapping[str, tuple[float, float, float]]) -> None:
    left, top, wide = boxes[node.urn]
    if not node.name:
        canvas.path("arrow", ["M", left, top + HIGH / 2, "L", left + wide, top + HIGH / 2])
        return
    group = canvas.group("resource", f"{node.kind} {node.name}")
    group.rect("card frame", left, top, wide, HIGH, 6)
    group.text("ink bold", left + 12, top + 19, wide - 12, NAME, node.name)
    group.text("soft", left + 12, top + 35, wide - 12, KIND, node.kind)


def _size(width: float, height: float) -> dict[str, str]:
    return {"viewBox": f"0 0 {width:.0f} {height:.0f}", "width": f"{width:.0f}", "height": f"{height:.0f}"}
