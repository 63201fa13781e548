"""Pictures of dashboards: tiles, alerts, containers and filters, without secrets."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clouddb_tools.render.files import Drawing
from clouddb_tools.render.html import dashboards_page
from clouddb_tools.render.measure import width_of
from clouddb_tools.render.objects import Item, pictures
from clouddb_tools.render.picture import Picture
from clouddb_tools.render.shapes import SHAPES
from clouddb_tools.render.style import CARD, CHANGES, FILLS, PAGE, Colors
from clouddb_tools.render.svg import LEGEND, NARROW, WIDE, Form, dashboard_svg, svg_file
from clouddb_tools.render.words import SYMBOLS
from codegen.pictures import TILES, items
from pulumi_clouddb.engine.wire.secret import Secret
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.things.alerts.parts import ThresholdType
from pulumi_clouddb.things.dashboards.tile import SeriesType
from pulumi_clouddb.things.dashboards.tile_config_fields import DisplayType
from support.pictures import (
    SVG,
    alert,
    boxes,
    dashboard,
    groups,
    overlapping,
    parsed,
    picture,
    texts,
    tile,
    tiles,
    titles,
)

FORMS = {"wide": WIDE, "narrow": NARROW}


def drawn(*found: Item, form: Form = WIDE) -> ET.Element:
    """Return the picture of a dashboard, parsed from its file."""
    return parsed(svg_file(dashboard_svg(list(pictures(found).values()), "state of dev", form)))


# -- display types -----------------------------------------------------------------------------------------------------


def test_every_display_type_has_a_shape_and_an_example() -> None:
    """A new display type needs a shape, and a tile in docs/pictures."""
    assert set(SHAPES) == set(DisplayType)
    assert set(TILES) == set(DisplayType)
    assert set(SYMBOLS) == set(ThresholdType)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("kind", DisplayType)
def test_tile_is_drawn_with_the_shape_of_its_display_type(kind: DisplayType, form: Form) -> None:
    """It shows its name, its type in words and a shape that is not empty."""
    name, _, config = TILES[kind]
    root = drawn(dashboard(tile(name, config={"displayType": kind.value, **config})), form=form)
    (found,) = tiles(root).values()
    (shape,) = groups(found, "picture")
    assert shape.get("class") == f"picture {kind.value}"
    assert len(shape) > 0
    assert texts(found)[0] == name
    assert kind.value.replace("_", " ") in texts(found)[1]


SERIES: dict[str, tuple[dict[str, Any], str]] = {
    "time": ({"aggFn": "count", "where": "", "groupBy": []}, "line"),
    "table": ({"aggFn": "sum", "field": "Bytes", "where": "", "groupBy": ["Route"]}, "table"),
    "number": ({"aggFn": "max", "field": "Duration", "where": ""}, "number"),
    "search": ({"fields": ["Body"], "where": "level:error"}, "search"),
    "markdown": ({"content": "Hello"}, "markdown"),
}


@pytest.mark.parametrize("kind", SeriesType)
def test_series_are_drawn_like_their_display_type(kind: SeriesType) -> None:
    """The older form of tiles is drawn in the same way."""
    series, shape = SERIES[kind.value]
    values = {"name": "a", "x": 0, "y": 0, "w": 8, "h": 5, "series": [{"type": kind.value, "sourceId": "s", **series}]}
    (found,) = tiles(drawn(dashboard(values))).values()
    assert groups(found, shape)


def test_unknown_display_type_is_named() -> None:
    """A server may have display types that this package does not know."""
    root = drawn(dashboard(tile("a", 0, 0, 8, 5, config={"displayType": "sankey"})))
    assert "display type sankey" in texts(root)


QUERIES: dict[str, tuple[dict[str, Any], str]] = {
    "a count": ({"select": [{"aggFn": "count"}]}, "count()"),
    "a quantile": ({"select": [{"aggFn": "quantile", "level": 0.95, "valueExpression": "Duration"}]}, "p95(Duration)"),
    "a plain value": ({"select": [{"aggFn": "none", "valueExpression": "Duration"}]}, "Duration"),
    "a condition": ({"select": [{"aggFn": "count", "where": "a:1"}]}, "count() where a:1"),
    "a name": ({"select": [{"aggFn": "count", "alias": "n"}]}, "count() as n"),
    "a metric": ({"select": [{"aggFn": "avg", "metricName": "cpu", "valueExpression": "Value"}]}, "avg(Value of cpu)"),
    "a formula": ({"formulas": [{"expression": "A / B", "alias": "rate"}]}, "formula A / B as rate"),
    "groups": ({"groupBy": "Region"}, "group by Region"),
    "a search": ({"displayType": "search", "columns": "Body", "where": "a:1"}, "columns Body"),
    "SQL": ({"configType": "sql", "connectionId": "c", "sqlTemplate": "SELECT\n 1"}, "SQL SELECT 1"),
}


@pytest.mark.parametrize(("config", "words"), QUERIES.values(), ids=QUERIES)
def test_tile_shows_its_query(config: dict[str, Any], words: str) -> None:
    """Each part of the query is one line."""
    root = drawn(dashboard(tile("a", 0, 0, 12, 6, config={"displayType": "line", "sourceId": "s", **config})))
    assert words in texts(root)


HEADS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "values before groups": ({}, ["errors", "sum(Size)", "Region"]),
    "groups on the left": ({"groupByColumnsOnLeft": True}, ["Region", "errors", "sum(Size)"]),
    "a formula alone": ({"formulas": [{"expression": "A / B"}], "showOperandSeries": False}, ["A / B", "Region"]),
}


@pytest.mark.parametrize(("config", "heads"), HEADS.values(), ids=HEADS)
def test_table_has_the_heads_of_the_page(config: dict[str, Any], heads: list[str]) -> None:
    """A value with an alias has that alone as its head."""
    values = [{"aggFn": "count", "where": "a:1", "alias": "errors"}, {"aggFn": "sum", "valueExpression": "Size"}]
    table = {"displayType": "table", "sourceId": "s", "select": values, "groupBy": "Region", **config}
    (picture,) = pictures([dashboard(tile("a", config=table))]).values()
    assert [*picture.tiles[0].columns] == heads


def test_bars_stand() -> None:
    """All have the same lower edge."""
    root = drawn(dashboard(tile("a", config={"displayType": "bar", "sourceId": "s"})))
    (shape,) = groups(root, "bar")
    bars = [each for each in shape.iter() if each.tag.endswith("rect")]
    assert len(bars) > 1
    assert len({round(float(each.attrib["y"]) + float(each.attrib["height"])) for each in bars}) == 1


def test_tile_shows_the_name_of_a_known_source() -> None:
    """Otherwise its id is shown, as in the program."""
    source = Item("Source", "logs", "65f5e4a3b9e77c001a567801", {"name": "Logs"})
    assert "line · Logs" in texts(drawn(dashboard(tile("a")), source))
    assert "line · 65f5e4a3b9e77c001a567801" in texts(drawn(dashboard(tile("a", 0, 0, 12, 3))))


@pytest.mark.parametrize(
    ("name", "words"),
    [(None, "65f5e4a3b9e77c001a567801"), (UNKNOWN, "[unknown]"), (Secret("hunter2"), "[secret]")],
    ids=["none", "unknown", "secret"],
)
def test_source_whose_name_is_not_a_text_is_drawn(name: Any, words: str) -> None:
    """It is not drawn with the name of a Python object."""
    source = Item("Source", "logs", "65f5e4a3b9e77c001a567801", {"name": name})
    assert f"line · {words}" in texts(drawn(dashboard(tile("a", 0, 0, 12, 3)), source))


NUMBERS: dict[str, tuple[dict[str, Any] | None, str]] = {
    "plain": (None, "###"),
    "percent": ({"output": "percent"}, "### %"),
    "money": ({"output": "currency", "currencySymbol": "€"}, "€ ###"),
    "a unit": ({"output": "data_rate", "numericUnit": "bytes_sec_si"}, "### bytes sec si"),
}


@pytest.mark.parametrize(("form", "words"), NUMBERS.values(), ids=NUMBERS)
def test_number_tile_shows_no_digits(form: dict[str, Any] | None, words: str) -> None:
    """Its digits are replaced by signs, which cannot be mistaken for a measurement."""
    config = {"displayType": "number", "sourceId": "s", "select": [{"aggFn": "count"}], "numberFormat": form}
    root = drawn(dashboard(tile("a", 0, 0, 8, 5, config=config)))
    assert words in texts(root)
    assert LEGEND in texts(root)


# -- alerts ------------------------------------------------------------------------------------------------------------

THRESHOLDS: dict[ThresholdType, tuple[str, int, int]] = {
    ThresholdType.ABOVE: ("at or above 2, every 5m", 1, 1),
    ThresholdType.ABOVE_EXCLUSIVE: ("above 2, every 5m", 1, 1),
    ThresholdType.BELOW: ("below 2, every 5m", 1, 1),
    ThresholdType.BELOW_OR_EQUAL: ("at or below 2, every 5m", 1, 1),
    ThresholdType.EQUAL: ("equal to 2, every 5m", 1, 0),
    ThresholdType.NOT_EQUAL: ("not equal to 2, every 5m", 1, 0),
    ThresholdType.BETWEEN: ("from 2 to 7.5, every 5m", 2, 1),
    ThresholdType.NOT_BETWEEN: ("outside of 2 and 7.5, every 5m", 2, 2),
}
"""The label of the line, the number of lines, and the number of shaded sides."""


def named(root: ET.Element, name: str) -> list[ET.Element]:
    """Return the elements of a class."""
    return [each for each in root.iter() if name in each.get("class", "").split()]


@pytest.mark.parametrize("kind", ThresholdType)
def test_alert_is_a_line_with_its_threshold(kind: ThresholdType) -> None:
    """It is on its tile only."""
    words, lines, zones = THRESHOLDS[kind]
    mark = alert("a", kind.value, 2, thresholdMax=7.5)
    found = tiles(drawn(dashboard(tile("a", 0, 0, 10, 6), tile("b", 10, 0, 10, 6)), mark))
    assert words in texts(found["a"])
    assert "1 alert" in texts(found["a"])
    assert len(named(found["a"], "threshold")) == lines
    assert len(named(found["a"], "zone")) == zones
    assert not groups(found["b"], "alerts")


def test_shaded_side_raises_the_alert() -> None:
    """It is above the line for `above` and below it for `below`."""
    sides = {}
    for kind in ("above", "below"):
        root = drawn(dashboard(tile("a", 0, 0, 10, 6)), alert("a", kind))
        (line,), (zone,) = named(root, "threshold"), named(root, "zone")
        sides[kind] = (float(line.get("y1", "0")), float(zone.get("y", "0")))
    assert sides["above"][1] < sides["above"][0]
    assert sides["below"][1] == sides["below"][0]


def test_range_with_an_unknown_lower_bound_is_drawn_without_a_zone() -> None:
    """A preview may know only the upper bound."""
    root = drawn(dashboard(tile("a", 0, 0, 10, 6)), alert("a", "between", UNKNOWN, thresholdMax=7.5))
    assert len(named(root, "threshold")) == 1
    assert not named(root, "zone")


def test_thresholds_are_in_order() -> None:
    """The higher one is above the lower one, in any order of the alerts."""
    root = drawn(dashboard(tile("a", 0, 0, 12, 8)), alert("a", "above", 5), alert("a", "above", 500))
    at = {each.text: float(each.get("y", "0")) for each in root.iter(f"{SVG}text")}
    assert at["at or above 500, every 5m"] < at["at or above 5, every 5m"]


def test_narrow_tile_shows_a_threshold_in_signs() -> None:
    """The title has it in words."""
    root = drawn(dashboard(tile("a", 0, 0, 3, 5)), alert("a", "not_between", 2, thresholdMax=7.5))
    assert "< 2, > 7.5" in texts(root)
    assert "outside of 2 and 7.5, every 5m" in titles(root)


@pytest.mark.parametrize(
    ("width", "name", "expected"),
    [(12, "Success of orders", True), (4, "Success of…", True), (2, "Succe…", False)],
    ids=["wide", "narrow", "too narrow"],
)
def test_name_leaves_room_for_the_number_of_alerts(width: int, name: str, expected: bool) -> None:
    """If both have room, the name is cut, and its title has the full name."""
    root = drawn(dashboard(tile("Success of orders", 0, 0, width, 5)), alert("Success of orders"))
    (found,) = tiles(root).values()
    assert texts(found)[0] == name
    assert ("1 alert" in texts(found)) is expected
    assert groups(found, "alerts")


@pytest.mark.parametrize("height", [3, 4, 6])
def test_number_tile_with_an_alert_keeps_its_query(height: int) -> None:
    """If there is little room, its shape is left out before its query."""
    config = {"displayType": "number", "sourceId": "s", "select": [{"aggFn": "count"}]}
    root = drawn(dashboard(tile("Orders", 0, 0, 4, height, config=config)), alert("Orders"))
    assert {"count()", "at or above 100"} <= set(texts(root))


@pytest.mark.parametrize("known", [True, False])
def test_raw_sql_names_its_connection(known: bool) -> None:
    """The connection's name is shown if the program or the server has it."""
    config = {"displayType": "table", "configType": "sql", "connectionId": "c1", "sqlTemplate": "SELECT 1"}
    items_ = [Item("Connection", "main", "c1", {"name": "Main"}, urn="urn:main")] if known else []
    root = drawn(dashboard(tile("a", 0, 0, 12, 6, config=config)), *items_)
    assert f"table · raw SQL on connection {'Main' if known else 'c1'}" in texts(root)


MARKDOWN: dict[str, tuple[str, list[str], set[str]]] = {
    "a heading": ("# On call", ["On call"], {"ink bold"}),
    "a paragraph of two lines": ("one\ntwo", ["one two"], {"ink"}),
    "a line break": ("one  \ntwo", ["one", "two"], {"ink"}),
    "bold words": ("Page **the team** now.", ["Page the team now."], {"ink", "ink bold"}),
    "a link": ("See [the book](https://example.com).", ["See the book."], {"ink", "accent"}),
    "code": ("Run `make`, please", ["Run make, please"], {"ink", "soft mono"}),
    "a block of code": ("```sh\nmake\n  test\n```", ["make", "test"], {"soft mono"}),
    "a list": ("- one\n- two\n  - three", ["•  one", "•  two", "•  three"], {"soft", "ink"}),
    "a list with numbers": ("3. one\n4. two", ["3.  one", "4.  two"], {"soft", "ink"}),
    "a list from zero": ("0. zero\n1. one", ["0.  zero", "1.  one"], {"soft", "ink"}),
    "a rule and HTML": ("one\n\n---\n\n<b>two</b>", ["one", "<b>two</b>"], {"ink"}),
    "signs that mean nothing": ("2 * 3 * 4 [secret] #1", ["2 * 3 * 4 [secret] #1"], {"ink"}),
}


@pytest.mark.parametrize(("source", "lines", "styles"), MARKDOWN.values(), ids=MARKDOWN)
def test_markdown_is_drawn_without_markup(source: str, lines: list[str], styles: set[str]) -> None:
    """Its markup is not shown."""
    root = drawn(dashboard(tile("a", 0, 0, 12, 6, config={"displayType": "markdown", "markdown": source})))
    (shape,) = groups(root, "picture")
    assert texts(shape) == lines
    assert {each.get("class") for each in shape.iter(f"{SVG}tspan")} == styles


def test_long_markdown_ends_with_an_ellipsis() -> None:
    """The page below the picture has the full text."""
    words = "word " * 300
    root = drawn(dashboard(tile("a", 0, 0, 12, 6, config={"displayType": "markdown", "markdown": words})))
    (shape,) = groups(root, "picture")
    assert texts(shape)[-1].endswith("word …")


def test_alerts_without_a_known_tile_are_listed() -> None:
    """A preview has no id of a tile that is not created yet; no tile is guessed."""
    unsure = alert(UNKNOWN)
    root = drawn(dashboard(tile("a", 0, 0, 8, 5)), unsure)
    assert "errors: at or above 100, every 5m" in texts(root)
    assert not groups(root, "alerts")


def test_all_alerts_are_listed() -> None:
    """If there is no room for lines, the page still lists all alerts."""
    many = [alert("a", "above", number) for number in range(12)]
    page = dashboards_page([picture(dashboard(tile("a", 0, 0, 8, 3)), *many)], "state of dev")
    assert all(f"at or above {number}, every 5m" in page for number in range(12))


# -- containers, filters and tags --------------------------------------------------------------------------------------


def test_containers_and_every_tab_are_drawn_under_their_headings() -> None:
    """All tabs are visible without a click."""
    tabs = [{"id": "one", "title": "First"}, {"id": "two", "title": "Second"}]
    root = drawn(
        dashboard(
            tile("free"),
            tile("in one", containerId="c", tabId="one"),
            tile("in two", containerId="c", tabId="two"),
            tile("in none", containerId="c"),
            tile("folded", containerId="d"),
            tile("lost", containerId="nowhere"),
            containers=[
                {"id": "c", "title": "Details", "collapsed": False, "tabs": tabs},
                {"id": "d", "title": "More", "collapsed": True},
            ],
        )
    )
    inside = [(texts(each)[0], sorted(tiles(each))) for each in groups(root, "section")]
    assert inside == [
        ("free", ["free", "lost"]),
        ("Details", ["in none", "in one"]),
        ("Tab: Second", ["in two"]),
        ("More (collapsed at first)", ["folded"]),
    ]
    assert "Tab: First" in texts(root)


def test_filters_tags_and_defaults_are_shown() -> None:
    """A filter is shown with its expression and the variable that it sets."""
    named_filter = {"type": "QUERY_EXPRESSION", "name": "My env", "expression": "env", "isVariableEnabled": True}
    root = drawn(
        dashboard(
            tile("a"),
            tags=["prod"],
            filters=[{**named_filter, "sourceId": "s"}],
            savedQuery="level:error",
            savedQueryLanguage="lucene",
            savedFilterValues=[{"condition": "a IN ('b')"}],
        )
    )
    expected = {"My env: env of s as $My_env", "opens with level:error (lucene)", "opens with a IN ('b')"}
    assert {*expected, "state of dev · prod"} <= set(texts(root))


def test_empty_dashboard_has_a_note() -> None:
    """It is drawn with a note."""
    assert "No tiles." in texts(drawn(dashboard()))


# -- secrets, unknown and invalid values -------------------------------------------------------------------------------


def test_unknown_and_secret_values_are_shown_as_such() -> None:
    """This holds in all places; no part of a file has a secret in plain text."""
    config = {"displayType": "line", "sourceId": UNKNOWN, "select": Secret("hunter2"), "groupBy": Secret("hunter2")}
    found = [
        dashboard(
            tile(Secret("hunter2"), 0, 0, 12, 6, config=config, key="a"),
            tile("b", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN),
            tags=Secret(["hunter2"]),
            filters=[{"name": Secret("hunter2"), "expression": UNKNOWN}],
        ),
        alert("a", threshold=Secret("hunter2")),
    ]
    drawing = Drawing([picture(*found)], "preview of dev")
    for suffix in (".svg", ".html"):
        text = drawing.text(suffix)
        assert "hunter2" not in text
        assert "[secret]" in text
    shown = texts(parsed(drawing.text(".svg")))
    assert {"[secret]", "line · [unknown]", "group by [secret]", "[secret]: [unknown]"} <= set(shown)


@pytest.mark.parametrize(("tiles_", "words"), [(UNKNOWN, "Tiles: [unknown]"), (Secret([]), "Tiles: [secret]")])
def test_entirely_hidden_tiles_have_a_note(tiles_: Any, words: str) -> None:
    """In a dynamic resource, one secret hides the entire property."""
    assert words in texts(drawn(dashboard(tiles=tiles_)))


HOSTILE = {
    "markup": "<script>alert(1)</script>",
    "an attribute": '" onload="alert(1)',
    "an entity": "&lt;&#0;&amp;",
    "the end of a comment": "--> ]]> </title></svg>",
    "control characters": "a\x00b\x1b[31mc\x7f",
    "half a character": "a\ud800b",
    "a turned order": "a\u202egnp.exe",
    "a very long word": "x" * 4000,
    "wide characters": "服务延迟仪表板" * 20,
    "nothing": "",
}


class Reader(HTMLParser):
    """Collects the names of the elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the names of one element."""
        self.found |= {tag, *(name for name, _ in attrs)}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_texts_stay_within_their_boxes(words: str, form: Form) -> None:
    """All names, queries and Markdown are drawn as text within their boxes."""
    config = {"displayType": "markdown", "markdown": words}
    root = drawn(
        dashboard(
            tile(words, 0, 0, 5, 5, config=config),
            tile("b", 5, 0, 5, 5, config={"displayType": words, "sourceId": words, "groupBy": words}),
            tags=[words],
            filters=[{"name": words, "expression": words}],
            containers=[{"id": words, "title": words}],
        ),
        alert("b", words, name=words, interval=words),
        form=form,
    )
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        *["svg", "style", "title", "rect", "g", "text", "tspan", "line", "path"]
    }
    for each in root.iter(f"{SVG}text"):
        assert "\u202e" not in "".join(each.itertext())
        size, room, width = float(each.get("font-size", "0")), float(each.get("data-room", "0")), 0.0
        for part in [*each.iter(f"{SVG}tspan")] or [each]:
            names = part.get("class", "").split()
            width += width_of(part.text or "", size, bold="bold" in names, mono="mono" in names)
        assert width <= room + 0.1
    reader = Reader()
    reader.feed(dashboards_page([picture(dashboard(tile(words, config=config)))], words))
    assert not reader.found & {"script", "onload", "img"}


ANY = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8) | st.just(UNKNOWN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "id", "title"]), inner),
    max_leaves=4,
)
NAMES = ("name", "key", "x", "y", "w", "h", "containerId", "tabId", "config", "series")
CONFIG_NAMES = (
    *("displayType", "configType", "select", "where", "groupBy", "formulas"),
    *("markdown", "onClick", "numberFormat", "colorRules"),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, ANY)),
    st.fixed_dictionaries({}, optional=dict.fromkeys(CONFIG_NAMES, ANY)),
    st.fixed_dictionaries({}, optional=dict.fromkeys(("tags", "filters", "containers", "tiles", "savedQuery"), ANY)),
)
def test_any_state_can_be_drawn(first: Any, config: Any, more: Any) -> None:
    """State is not validated, so drawing it must not fail."""
    item = dashboard({**first, "config": config}, {**first, "name": "b"}, **more)
    root = drawn(item, alert("b", "above", config))
    assert overlapping(boxes(root)) == []


OUTSIDE = re.compile(r"""(?:href|src|url)\s*[=(]\s*(?!["']?(?:\#|data:,))|@import|<script|<iframe""")


def test_files_load_no_external_files() -> None:
    """They load no scripts, fonts, images or styles; their only addresses are namespaces."""
    drawing = Drawing([picture(*items())], "state of dev")
    for suffix in (".svg", ".html"):
        text = drawing.text(suffix)
        assert OUTSIDE.search(text) is None
        assert set(re.findall(r"https?://[^\s\"'<]+", text)) == {"http://www.w3.org/2000/svg"}


def test_page_has_all_texts_in_full() -> None:
    """Texts that a picture cuts off are in the page below it."""
    long = " ".join(f"column_{number}" for number in range(80))
    config = {"displayType": "search", "sourceId": "s", "columns": long, "where": "level:error"}
    page = dashboards_page([picture(dashboard(tile("a", 0, 0, 3, 3, config=config)))], "state of dev")
    assert f"<dd>{long}</dd>" in page
    assert '<figure class="wide">' in page
    assert '<figure class="small">' in page


# -- colours -----------------------------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG 2.2)."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


WRITTEN = ("ink", "soft", "accent", "alert", *CHANGES)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("ground", [PAGE, CARD], ids=["page", "card"])
def test_texts_have_enough_contrast(name: str, ground: Colors, scheme: int) -> None:
    """The contrast is at least 4.5 to 1 on both backgrounds, in light and in dark mode."""
    assert contrast(FILLS[name][scheme], ground[scheme]) >= 4.5


def test_picture_has_a_name_for_screen_readers() -> None:
    """The name has its dashboards and their origin."""
    root = drawn(dashboard(tile("a")))
    assert root.get("role") == "img"
    assert titles(root)[0] == "Shop: state of dev"


def test_tiles_are_drawn_once() -> None:
    """Both forms have each tile once."""
    found: Picture = picture(*items())
    for form in FORMS.values():
        root = parsed(svg_file(dashboard_svg([found], "state of dev", form)))
        assert sorted(each.get("data-key", "") for each in groups(root, "tile")) == sorted(
            each.key for each in found.tiles
        )
        assert overlapping(boxes(root)) == []
