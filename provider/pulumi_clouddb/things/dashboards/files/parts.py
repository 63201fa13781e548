"""Parts of a config: formats, colours, formulas and targets of clicks."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.observability import QueryLanguage
from pulumi_clouddb.schema.values import Path, WireDict
from pulumi_clouddb.things.dashboards.number_format import NumberFormat
from pulumi_clouddb.things.dashboards.tile_parts import ChartPaletteToken, ColorOperator, OnClickTargetMode, OnClickType

from .file import (
    FileBackgroundChart,
    FileClickTarget,
    FileColorRule,
    FileFormula,
    FileNumberFormat,
    FileObject,
    FileOnClick,
)
from .losses import Losses
from .names import Kind, Refer

_OPERATORS = frozenset(each.value for each in ColorOperator)
_COLOURS = frozenset(each.value for each in ChartPaletteToken)
_HUES = ("green", "blue", "orange", "red", "cyan", "pink", "purple", "light-blue", "brown", "gray")
_BY_NUMBER = {f"chart-{number}": f"chart-{hue}" for number, hue in enumerate(_HUES, start=1)}
"""Before the server named colours by hue, its page wrote their numbers (`resolveChartPaletteToken`)."""


class Parts:
    """Writes parts of configs."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses

    def _same(self, item: FileObject, path: Path, names: Sequence[str]) -> WireDict:
        """Return the properties of an object that the API has under the same names."""
        with self._losses.reading(item, path) as read:
            attributes = {name: attribute for attribute, name in item.names()}
            return {name: getattr(read, attributes[name]) for name in names if name in attributes}

    def number_format(self, item: FileNumberFormat, path: Path) -> WireDict:
        """Return a format of numbers."""
        return self._same(item, path, wire_names(NumberFormat))

    def formula(self, item: FileFormula, path: Path) -> WireDict:
        """Return a formula."""
        with self._losses.reading(item, path) as read:
            written: WireDict = {"expression": read.expression}
            if read.alias is not None:
                written["alias"] = read.alias
            if read.number_format is not None:
                written["numberFormat"] = self.number_format(read.number_format, (*path, "numberFormat"))
        return written

    def colour(self, colour: str, path: Path) -> WireDict:
        """Return a colour as the property `color`, if it is known."""
        name = _BY_NUMBER.get(colour, colour)
        if name in _COLOURS:
            return {"color": name}
        self._losses.warn(path, f"{colour!r} is not a colour of the API")
        return {}

    def colour_rules(self, rules: Sequence[FileColorRule], path: Path) -> WireDict:
        """Return the rules that the API has."""
        written = [each for index, rule in enumerate(rules) for each in self._colour_rule(rule, (*path, index))]
        return {"colorRules": written} if written else {}

    def _colour_rule(self, rule: FileColorRule, path: Path) -> list[WireDict]:
        with self._losses.reading(rule, path) as read:
            written: WireDict = {"operator": read.operator, "value": read.value, **self.colour(read.color, path)}
            if read.label is not None:
                written["label"] = read.label
        if rule.operator not in _OPERATORS:
            self._losses.warn(path, f"the API has no colours by {rule.operator!r}")
            return []
        return [written] if "color" in written else []

    def background_chart(self, item: FileBackgroundChart, path: Path) -> WireDict:
        """Return the line behind a number."""
        with self._losses.reading(item, path) as read:
            coloured = {} if read.color is None else self.colour(read.color, (*path, "color"))
            return {"backgroundChart": {"type": read.type, **coloured}}

    def on_click(self, item: FileOnClick, path: Path, refer: Refer) -> WireDict:
        """Return the target of a click as the property `onClick`; nothing if the target no longer exists."""
        if item.type == OnClickType.EXTERNAL:
            return {"onClick": self._same(item, path, ("type", "urlTemplate"))}
        with self._losses.reading(item, path) as read:
            written: WireDict = {"type": read.type}
            target = self._target(read.target, read.type, (*path, "target"), refer)
            if read.where_template is not None:
                written["whereTemplate"] = read.where_template
            if read.where_language is not None or read.where_template:
                # Unlike conditions of charts, the page reads one without a language as Lucene.
                written["whereLanguage"] = read.where_language or QueryLanguage.LUCENE.value
            if read.filters is not None:
                names = ("kind", "expression", "template")
                written["filters"] = [
                    self._same(each, (*path, "filters", index), names) for index, each in enumerate(read.filters)
                ]
        return {} if target is None else {"onClick": {**written, "target": target}}

    def _target(self, item: FileClickTarget | None, type_: str, path: Path, refer: Refer) -> WireDict | None:
        if item is None or (item.mode == OnClickTargetMode.ID and not item.id):
            self._losses.warn(path, "the target is missing, so a click does nothing")
            return None
        with self._losses.reading(item, path) as read:
            if read.mode != OnClickTargetMode.ID:
                return {"mode": read.mode, "template": read.template}
            kind = Kind.DASHBOARD if type_ == OnClickType.DASHBOARD else Kind.SOURCE
            target = refer(kind, str(read.id))
        if target is None:
            self._losses.warn(path, f"there is no {kind.value} {item.id!r}, so a click does nothing")
            return None
        return {"mode": item.mode, "id": target}
