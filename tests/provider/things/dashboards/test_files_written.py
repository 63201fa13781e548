"""Dashboards as files, and back: nothing is lost that the API knows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.dashboards.files.dashboard import converted, read_file
from pulumi_clouddb.things.dashboards.files.losses import Severity
from pulumi_clouddb.things.dashboards.files.names import Kind
from pulumi_clouddb.things.dashboards.files.writing import template_of
from pulumi_clouddb.things.dashboards.tile_config_fields import BUILDER, RAW_SQL
from support.page_of_server import FILE, refusals

IDS = {"Logs": "1" * 24, "Metrics": "2" * 24, "ClickHouse": "3" * 24, "Details": "4" * 24}
NAMES = {id_: name for name, id_ in IDS.items()}
Values = dict[str, Any]


def name_of(_: Kind, id_: str) -> str | None:
    """Return the name of an id."""
    return NAMES.get(id_)


def refer(_: Kind, name: str) -> str | None:
    """Return the id of a name."""
    return IDS.get(name)


def there_and_back(board: Values) -> Values:
    """Return the inputs from the file that is written for a dashboard."""
    content, lost = template_of(board, name_of)
    assert refusals(FILE, content) == []
    result = converted(read_file(json.dumps(content)), refer)
    assert [*lost, *result.losses] == []
    return result.inputs


# -- random dashboards -------------------------------------------------------------------------------------------------

TEXT = st.text("abcXYZ .:'\"=*(){}é", min_size=1, max_size=12).filter(str.strip)  # groups of blanks mean none
FLAG = st.booleans()
LANGUAGE = st.sampled_from(["lucene", "sql"])
COLOUR = st.sampled_from(["chart-blue", "chart-error"])
FORMAT = st.fixed_dictionaries({"output": st.just("byte")}, optional={"mantissa": st.integers(0, 3), "unit": TEXT})
RULE = st.fixed_dictionaries(
    {"operator": st.sampled_from(["gt", "eq"]), "value": st.integers(0, 9), "color": COLOUR}, optional={"label": TEXT}
)
CONDITION = {"where": TEXT, "whereLanguage": LANGUAGE}
USUAL = {"alias": TEXT, "numberFormat": FORMAT, "periodAggFn": st.just("delta")}
METRIC = {"metricType": st.just("gauge"), "metricName": TEXT}
SELECTED = st.one_of(
    st.fixed_dictionaries({"aggFn": st.just("count")}, optional={**CONDITION, **USUAL}),
    st.fixed_dictionaries(
        {"aggFn": st.sampled_from(["max", "none", "any"]), "valueExpression": TEXT},
        optional={**CONDITION, **USUAL, **METRIC},
    ),
    st.fixed_dictionaries(
        {"aggFn": st.just("quantile"), "valueExpression": TEXT}, optional={"level": st.sampled_from([0.5, 0.99])}
    ),
)
TARGET = st.one_of(
    st.builds(lambda id_: {"mode": "id", "id": id_}, st.sampled_from([*NAMES])),
    st.builds(lambda text: {"mode": "template", "template": text}, TEXT),
)
CLICK = st.one_of(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["search", "dashboard"]), "target": TARGET},
        optional={
            "whereTemplate": TEXT,
            "whereLanguage": LANGUAGE,
            "filters": st.lists(
                st.fixed_dictionaries({"kind": st.just("expressionTemplate"), "expression": TEXT, "template": TEXT}),
                max_size=2,
            ),
        },
    ),
    st.fixed_dictionaries({"type": st.just("external"), "urlTemplate": TEXT}),
)
FORMULA = st.fixed_dictionaries({"expression": st.just("A / 2")}, optional={"alias": TEXT, "numberFormat": FORMAT})
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "groupBy": TEXT,
    "having": TEXT,
    "orderBy": TEXT,
    "where": TEXT,
    "whereLanguage": LANGUAGE,
    "asRatio": FLAG,
    "formulas": st.lists(FORMULA, min_size=1, max_size=1),
    "showOperandSeries": FLAG,
    "numberFormat": FORMAT,
    "alignDateRangeToGranularity": FLAG,
    "fillNulls": FLAG,
    "compareToPreviousPeriod": FLAG,
    "fitYAxisToData": FLAG,
    "seriesLimit": st.integers(0, 9),
    "limit": st.integers(0, 9),
    "groupByColumnsOnLeft": FLAG,
    "onClick": CLICK,
    "color": COLOUR,
    "colorRules": st.lists(RULE, min_size=1, max_size=3),
    "backgroundChart": st.fixed_dictionaries({"type": st.just("area")}, optional={"color": COLOUR}),
    "markdown": TEXT,
    "connectionId": st.just(IDS["ClickHouse"]),
    "sqlTemplate": TEXT,
    "sourceId": st.sampled_from([IDS["Logs"], IDS["Metrics"]]),
    "columns": TEXT,
}


@st.composite
def configs(draw: st.DrawFn, table: Any, display: Any) -> Values:
    """Return a random config of a display type."""
    raw = table is RAW_SQL
    needed = {"connectionId", "sqlTemplate"} if raw else {"sourceId", "select", "columns"} & table[display]
    chosen = sorted(needed | draw(st.sets(st.sampled_from(sorted(table[display])))))
    config: Values = {"displayType": str(display.value), **({"configType": "sql"} if raw else {})}
    for name in chosen:
        config[name] = draw(selects(display) if name == "select" else FIELDS[name])
    if config.get("asRatio") and (len(config["select"]) != 2 or "formulas" in config):
        del config["asRatio"]
    if "formulas" not in config:
        config.pop("showOperandSeries", None)
    return config


@st.composite
def selects(draw: st.DrawFn, display: str) -> Any:
    """Return a random value of `select`."""
    if display == "heatmap":
        more = {"countExpression": TEXT, "heatmapScaleType": st.just("log")}
        return [draw(st.fixed_dictionaries({"valueExpression": TEXT}, optional=more))]
    return draw(st.lists(SELECTED, min_size=1, max_size=1 if display in ("pie", "bar", "number") else 3))


FILTER = st.fixed_dictionaries(
    {"type": st.just("QUERY_EXPRESSION"), "expression": TEXT, "sourceId": FIELDS["sourceId"]},
    optional={
        **CONDITION,
        "sourceMetricType": st.just("sum"),
        "appliesToSourceIds": st.just([IDS["Logs"]]),
        "isVariableEnabled": st.just(True),
    },
)

FILTER_VALUE = st.fixed_dictionaries({"condition": TEXT}, optional={"type": st.just("sql")})
SAVED_QUERY: st.SearchStrategy[Values] = st.one_of(
    st.just({}), st.fixed_dictionaries({"savedQuery": TEXT}, optional={"savedQueryLanguage": LANGUAGE})
)


@st.composite
def boards(draw: st.DrawFn) -> Values:
    """Return a random dashboard."""
    kinds = [(table, display) for table in (BUILDER, RAW_SQL) for display in table]
    tiles = []
    for index, (table, display) in enumerate(draw(st.lists(st.sampled_from(kinds), max_size=4))):
        place = {"containerId": "c", "tabId": "t"} if draw(FLAG) else {}
        tile = {"key": f"tile-{index}", "name": draw(TEXT), "x": 0, "y": index, "w": 8, "h": 4, **place}
        tiles.append({**tile, "config": draw(configs(table, display))})
    tab = {"id": "t", "title": "T"}
    board: Values = {
        "name": draw(TEXT),
        "tiles": tiles,
        "tags": draw(st.lists(TEXT, max_size=2)),
        "containers": [{"id": "c", "title": "C", "collapsed": draw(FLAG), "tabs": [tab]}],
        "filters": [{**each, "name": f"f{index}"} for index, each in enumerate(draw(st.lists(FILTER, max_size=2)))],
        "savedFilterValues": draw(st.lists(FILTER_VALUE, max_size=2)),
    }
    return {**board, **draw(SAVED_QUERY)}


def with_defaults(board: Values) -> Values:
    """Return a dashboard with the languages and conditions that the server fills in, and without its defaults."""
    tiles = [{**tile, "config": _config(tile["config"])} for tile in board["tiles"]]
    filters = [_language(each, "where", "whereLanguage", "sql") for each in board.get("filters", ())]
    kept = {name: value for name, value in board.items() if value != []}
    if "savedFilterValues" in kept:
        kept["savedFilterValues"] = [{"type": "sql", **each} for each in kept["savedFilterValues"]]
    kept = _language(kept, "savedQuery", "savedQueryLanguage", "lucene")
    return {**kept, "tiles": tiles, **({"filters": filters} if filters else {})}


def _config(config: Values) -> Values:
    shown = {
        name: value
        for name, value in config.items()
        if (name, value) not in ((("asRatio", False), ("fillNulls", True)))
    }
    if shown["displayType"] in ("search", "event_patterns", "heatmap"):
        columns = {} if shown["displayType"] == "heatmap" else {"columns": ""}
        shown = {"where": "", "whereLanguage": "lucene", **columns, **shown}
    elif isinstance(shown.get("select"), list):
        shown["select"] = [{"where": "", "whereLanguage": "lucene", **each} for each in shown["select"]]
    if "onClick" in shown:
        shown["onClick"] = _language(shown["onClick"], "whereTemplate", "whereLanguage", "lucene")
    return shown


def _language(values: Values, text: str, name: str, language: str) -> Values:
    if text in values:
        return {name: language, **values}
    return {key: value for key, value in values.items() if key != name or text == "whereTemplate"}


BLANK = {"displayType": "line", "sourceId": IDS["Logs"], "select": [{"aggFn": "count", "where": " "}]}
"""A value with a condition that is only a blank."""


@settings(deadline=None, max_examples=60, phases=[Phase.explicit, Phase.generate])
@given(board=boards())
@example(board={"name": "A", "tiles": [{"key": "a", "name": "A", "x": 0, "y": 0, "w": 8, "h": 4, "config": BLANK}]})
def test_there_and_back(board: Values) -> None:
    """The file contains everything that the API knows; only defaults are written out, or left out."""
    assert not findings_of(DASHBOARD.inputs, board, RuleContext(vocabulary=CLICKHOUSE)).failures
    assert with_defaults(there_and_back(board)) == with_defaults(board)


# -- the form of the file ----------------------------------------------------------------------------------------------


def test_keys_that_the_import_of_the_page_requires() -> None:
    """Its models have them without a default."""
    line = {"displayType": "line", "sourceId": IDS["Logs"], "select": [{"aggFn": "count"}]}
    markdown = {"displayType": "markdown", "markdown": "Hi"}
    place = {"x": 0, "y": 0, "w": 8, "h": 4}
    filter_ = {"type": "QUERY_EXPRESSION", "name": "Host", "expression": "Host", "sourceId": IDS["Logs"]}
    tiles = [{"key": "a", "name": "A", **place, "config": line}, {"name": "B", **place, "config": markdown}]
    content, lost = template_of({"name": "Shop", "tiles": tiles, "filters": [filter_]}, name_of)
    assert lost == []
    value = {"aggFn": "count", "aggCondition": "", "aggConditionLanguage": "lucene", "valueExpression": ""}
    builder = {"name": "A", "displayType": "line", "source": "Logs", "select": [value], "where": ""}
    text = {"name": "B", "displayType": "markdown", "markdown": "Hi", "source": "", "where": "", "select": []}
    assert content == {
        "version": "0.1.0",
        "name": "Shop",
        "tiles": [
            {"id": "a", **place, "config": {**builder, "whereLanguage": "lucene"}},
            {"id": "B", **place, "config": text},
        ],
        "filters": [
            {"id": "filter-1", "type": "QUERY_EXPRESSION", "name": "Host", "expression": "Host", "source": "Logs"}
        ],
    }


@pytest.mark.parametrize(
    ("source", "written", "severity"),
    [("9" * 24, "9" * 24, Severity.WARNING), (UNKNOWN, "", Severity.ERROR)],
    ids=["an unknown name", "an id that a preview does not know"],
)
def test_source_without_a_name(source: object, written: str, severity: Severity) -> None:
    """It is named; the page asks for a source at the import."""
    config = {"displayType": "line", "sourceId": source, "select": [{"aggFn": "count"}]}
    content, (lost,) = template_of({"name": "n", "tiles": [{"name": "A", "config": config}]}, name_of)
    assert content["tiles"][0]["config"]["source"] == written
    assert (lost.place, lost.severity) == ("tile 'A', config.source", severity)
