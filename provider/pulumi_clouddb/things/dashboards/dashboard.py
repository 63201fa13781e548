"""Dashboards: tiles on a grid, and in the clickhouse dialect filters, containers and a saved query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from pulumi_clouddb.schema.base import Answer, Code, Compare, Flag, Text, identity, prop, wire_names
from pulumi_clouddb.schema.check.rules import API, OURS, SERVER, Rule, rule
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.observability import LONGEST_TAG, MOST_TAGS, OnStack, QueryLanguage, with_kind
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, body_of, hidden, ours
from pulumi_clouddb.schema.values import UNKNOWN, WireDict
from pulumi_clouddb.schema.vendor import NO_CODE, only_there, repeated, within
from pulumi_clouddb.schema.view import if_known, is_given, raw_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .layout import Place, overlap
from .packing import SERVER_FORM, ServerFormPacking
from .parts import VARIABLES_ONLY, DashboardContainer, DashboardFilter, SavedFilterValue, is_variable, variable_of
from .tile import Tile, by_key, key_of, names_and_places

IMPORTED = "__imported"
"""The name in state of the mark of an imported dashboard, until its first update."""

LANGUAGES = "__languages"
"""The name in state of the mark that the program leaves out languages, and the last request contained them."""


LONGEST_NAME = 1024
MOST_TILES = 500
MOST_CONTAINERS = 50


def _keys(args: Dashboard) -> Iterator[object]:
    """Yield the key of each tile: None if it has none, `UNKNOWN` if that is not known yet."""
    tiles = args.tiles or []
    for index in range(len(tiles)):
        key: object = UNKNOWN
        with if_known:
            key = key_of(tiles[index])
        yield key


def _keys_unique(args: Dashboard) -> str | None:
    duplicates = repeated(_keys(args))
    return f"{duplicates}; give these tiles a key" if duplicates else None


def _keys_present(args: Dashboard) -> str | None:
    nameless = [f"[{index}]" for index, key in enumerate(_keys(args)) if key is None]
    return f"; missing in {', '.join(nameless)}" if nameless else None


def _one_content(args: Dashboard) -> str | None:
    both = []
    for tile in args.tiles or ():
        with if_known:
            if isinstance(key_of(tile), str) and is_given(tile, "series") and is_given(tile, "config"):
                both.append(repr(key_of(tile)))
    return f": {', '.join(both)}" if both else None


def containers_fault(args: Dashboard) -> str | None:
    """Return which container or tab of a tile does not exist, if the program sets all containers."""
    if raw_of(args, "containers") is None:
        return None
    tabs = {each.id: {tab.id for tab in each.tabs or ()} for each in args.containers or ()}
    for tile in args.tiles or ():
        with if_known:
            if tile.container_id is not None and tile.container_id not in tabs:
                return f"; {key_of(tile)!r} has the containerId {tile.container_id!r}"
            if tile.container_id is not None and tile.tab_id not in (None, *tabs[tile.container_id]):
                return f"; {key_of(tile)!r} has the tabId {tile.tab_id!r}"
    return None


def _overlap(args: Dashboard) -> str | None:
    grids: dict[tuple[str | None, str | None], list[tuple[object, Place]]] = {}
    for tile in args.tiles or ():
        with if_known:
            sides = [each for each in (tile.w, tile.h, tile.x, tile.y) if each is not None]
            if len(sides) == 4:
                grids.setdefault((tile.container_id, tile.tab_id), []).append((key_of(tile), Place(*sides)))
    for inside in grids.values():
        if both := overlap(place for _, place in inside):
            return f"; {' and '.join(repr(inside[number][0]) for number in both)} do"
    return None


def _filters_there(args: Dashboard) -> str | None:
    """Check the types of filters in the managed form, whose API has one type (the description of autumn 2026)."""
    newer = [each.type for each in args.filters or () if each.type in VARIABLES_ONLY]
    return f", not {newer[0]}" if newer else None


def _filters_distinct(args: Dashboard) -> str | None:
    counted = Counter((each.name, each.expression, each.source_id) for each in args.filters or ())
    twice = sorted(f"{name!r} of {expression!r}" for (name, expression, _), count in counted.items() if count > 1)
    return f"; {', '.join(twice)} occurs more than once" if twice else None


def _variables_known(args: Dashboard) -> str | None:
    """Return a variable in the SQL of a tile that is of no filter."""
    known = {variable_of(each) for each in args.filters or () if is_variable(each)}
    for tile in args.tiles or ():
        with if_known:
            sql = (tile.config or {}).get("sqlTemplate")
            for found in _VARIABLE.finditer(NO_CODE.sub(_with_braces, sql) if isinstance(sql, str) else ""):
                if found[1] not in known:
                    return f"; {key_of(tile)!r} has {found[0]}"
    return None


def _values_known(args: Dashboard) -> str | None:
    """Return the name of a value that is of no filter."""
    known = [variable_of(each) for each in args.filters or () if is_variable(each)]
    found = [each.name for each in args.saved_filter_values or () if each.name is not None and each.name not in known]
    return f", not {found[0]!r}{did_you_mean(found[0], filter(None, known))}" if found else None


def _with_braces(quoted: re.Match[str]) -> str:
    return quoted[0] if "'${" in quoted[0] else "''"


_VARIABLE = re.compile(r"\$(?!__)\{?([A-Za-z]\w*)")


class Dashboard(OnStack):
    """A dashboard of the observability server."""

    RULES: ClassVar[tuple[Rule[Dashboard], ...]] = (
        rule(lambda board: board.tiles, "must each have a key or a name", _keys_present, source=OURS),
        rule(lambda board: board.tiles, "must have unique keys", _keys_unique, source=OURS),
        rule(lambda board: board.tiles, "must have series or config, not both", _one_content, source=OURS),
        rule(
            lambda board: board.tiles,
            "must be in containers and tabs of the dashboard",
            containers_fault,
            given=lambda board: board.containers,
            only=CLICKHOUSE,
            source=API("TileBase.tabId"),
        ),
        rule(
            lambda board: board.tiles,
            "should not overlap, or the page moves one of them, and stores that when somebody opens it",
            _overlap,
            warns=True,
            only=CLICKHOUSE,
            source=SERVER("app/src/DBDashboardPage.tsx"),
        ),
        rule(
            lambda board: board.containers,
            "must have unique ids",
            lambda board: repeated(each.id for each in board.containers or ()),
            only=CLICKHOUSE,
            source=SERVER("common-utils/src/dashboardValidation.ts"),
        ),
        rule(
            lambda board: board.filters,
            "must have unique names of variables",
            lambda board: repeated(variable_of(each) for each in board.filters or () if is_variable(each)),
            only=CLICKHOUSE,
            source=API("FilterInput.variableName"),
        ),
        rule(
            lambda board: board.filters,
            "should have each variable of sqlTemplate, as variableName with isVariableEnabled",
            _variables_known,
            warns=True,
            only=CLICKHOUSE,
            source=SERVER("common-utils/src/variables.ts"),
        ),
        rule(
            lambda board: board.saved_filter_values,
            "should be of variables in filters",
            _values_known,
            given=lambda board: board.saved_filter_values,
            warns=True,
            only=CLICKHOUSE,
            source=SERVER("common-utils/src/variables.ts"),
        ),
        rule(
            lambda board: board.filters,
            "must be of type QUERY_EXPRESSION in the managed form",
            _filters_there,
            given=lambda board: (board.service_id, board.filters),
            only=CLICKHOUSE,
            source=API("ClickStackFilterInput.type"),
        ),
        rule(
            lambda board: board.filters,
            "must each have a name, expression and source of their own",
            _filters_distinct,
            only=CLICKHOUSE,
            source=OURS,
        ),
    )

    name: Text | None = prop(
        "Name of the dashboard, which need not be unique.",
        required=True,
        within=within(max_length=LONGEST_NAME),
        answer=Answer("Name of the dashboard."),
    )
    tags: list[Text] | None = prop(
        "Labels.",
        taken_out="they are cleared",
        clears=[],
        answer=Answer("Labels."),
        within=within(each={"max_length": LONGEST_TAG}, max_length=MOST_TAGS),
    )
    tiles: list[Tile] | None = prop(
        "Tiles, in order.",
        required=True,
        compare=Compare(by_key, evidence=names_and_places),
        within=within(max_length=MOST_TILES),
    )
    filters: list[DashboardFilter] | None = only_there(
        "Filters at the top. Name and expression identify a filter, and also its source if these are equal.",
        taken_out="they are cleared",
        clears=[],
        answer=Answer("Filters at the top."),
        compare=Compare(evidence=lambda _: None),  # servers return them with ids, which identify no dashboard
    )
    saved_query: Code | None = only_there(
        "Query of the dashboard when it is opened.", taken_out="it is cleared", clears=None
    )
    saved_query_language: QueryLanguage | None = only_there(
        "Language of the saved query.",
        taken_out="it is cleared",
        unset=QueryLanguage.LUCENE,
        with_text="savedQuery",
        clears=None,
    )
    saved_filter_values: list[SavedFilterValue] | None = only_there(
        "Conditions of the dashboard when it is opened.",
        taken_out="they are cleared",
        clears=[],
        compare=Compare(with_kind),
    )
    containers: list[DashboardContainer] | None = only_there(
        "Groups of tiles.",
        taken_out="they are cleared",
        clears=[],
        max_length=MOST_CONTAINERS,
        compare=Compare(evidence=lambda containers: identity(containers) or None),
    )
    id: Text | None = answered("Id of the dashboard.")
    tile_ids: dict[str, str] | None = ours("Id of each tile by its key, for `tileId` of alerts.", copies=("tiles",))
    server_form: WireDict | None = hidden("The dashboard in the server's last response.", SERVER_FORM)
    imported: Flag | None = hidden("Whether it was imported, and not updated since.", IMPORTED)
    languages_sent: Flag | None = hidden("Whether it was sent with languages that the program leaves out.", LANGUAGES)


FORM = wire_names(body_of(Dashboard))
"""The properties that are compared with the server's form of a dashboard, by wire name."""

DASHBOARD = ResourceType(
    Dashboard,
    "A dashboard of the observability server. Updates keep the ids of tiles, and therefore their alerts.",
    required_outputs=("name", "tiles", "tileIds"),
    state_inputs=("serviceId",),
    packing=ServerFormPacking({SERVER_FORM: FORM}),
)
