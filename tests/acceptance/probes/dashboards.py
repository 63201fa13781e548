"""Probes of dashboards and their tiles."""

from __future__ import annotations

from acceptance.bench import ABSENT, Bench, Values
from acceptance.outcome import Outcome, each_holds, equal, holds_if
from pulumi_clouddb.client.version import NO_VERSION, Version


def tiles_keep_their_order(bench: Bench) -> Outcome:
    """Create three tiles whose names and places are not in order."""
    tiles = [{**bench.tile("markdown"), "name": name, "y": y} for name, y in (("b", 4), ("c", 0), ("a", 2))]
    board = bench.board(tiles)
    return equal([each["name"] for each in board["tiles"]], ["b", "c", "a"], "the order of tiles")


def known_tiles_keep_their_ids(bench: Bench) -> Outcome:
    """Replace two tiles in another order, with their ids."""
    board = bench.board([bench.tile(), bench.tile("markdown")])
    tiles = board["tiles"][::-1]
    after = bench.replace(f"/dashboards/{board['id']}", {"name": board["name"], "tiles": tiles})
    return equal([each["id"] for each in after["tiles"]], [each["id"] for each in tiles], "the ids of tiles")


def other_tiles_get_new_ids(bench: Bench) -> Outcome:
    """Send ids of our own, in a create and in an update."""
    board = bench.board([{**bench.tile("markdown"), "id": ABSENT}])
    sent = {"name": board["name"], "tiles": [{**bench.tile("markdown"), "id": ABSENT}]}
    after = bench.replace(f"/dashboards/{board['id']}", sent)
    return each_holds(
        holds_if(board["tiles"][0]["id"] != ABSENT, "a create keeps the id of a tile"),
        holds_if(after["tiles"][0]["id"] != ABSENT, "an update keeps an unknown id of a tile"),
    )


def dashboard_update_keeps_what_it_omits(bench: Bench) -> Outcome:
    """Replace a dashboard by its name and its tiles."""
    values = [{"type": "sql", "condition": "ServiceName IN ('a')"}]
    more = {"tags": ["a"], "savedQuery": "level:error", "savedFilterValues": values}
    board = bench.board([], containers=[{"id": "one", "title": "One", "collapsed": False}], **more)
    after = bench.replace(f"/dashboards/{board['id']}", {"name": board["name"], "tiles": []})
    names = (*more, "savedQueryLanguage", "containers")
    lost = [name for name in names if after.get(name) != board.get(name)]
    return holds_if(not lost, f"an update that omits {', '.join(lost)} changes them")


def empty_values_clear_a_dashboard(bench: Bench) -> Outcome:
    """Send empty values."""
    values = [{"type": "sql", "condition": "ServiceName IN ('a')"}]
    board = bench.board([], tags=["a"], savedQuery="level:error", savedFilterValues=values)
    empty: Values = {"tags": [], "savedQuery": None, "savedQueryLanguage": None, "savedFilterValues": []}
    after = bench.replace(f"/dashboards/{board['id']}", {"name": board["name"], "tiles": [], **empty})
    left = [name for name, value in empty.items() if after.get(name) != value]
    return holds_if(not left, f"empty values do not clear {', '.join(left)}")


def only_servers_with_versions_compare_them(bench: Bench) -> Outcome:
    """Replace a dashboard by the name of a version that it does not have."""
    board = bench.board([])
    path, version = f"/dashboards/{board['id']}", Version()
    version.read(bench.stack("GET", path).response.headers)
    body = {"name": board["name"], "tiles": []}
    reply = bench.stack("PUT", path, body, **{"If-Match": NO_VERSION.tag})
    if version.tag:
        return equal(reply.status, 409, f"the status of an update of another version than {version.tag}")
    return holds_if(reply.response.is_success, reply.words)


def tags_lose_duplicates(bench: Bench) -> Outcome:
    """Send a tag twice."""
    return equal(bench.board([], tags=["b", "a", "b"])["tags"], ["b", "a"], "a dashboard's tags")


def dashboards_are_listed_by_name(bench: Bench) -> Outcome:
    """Create three dashboards."""
    made = [bench.board([])["id"] for _ in range(3)]
    names = [each["name"] for each in bench.stack("GET", "/dashboards").result if each["id"] in made]
    return equal(names, sorted(names, reverse=True), "the order of the list")


def dashboard_names_repeat(bench: Bench) -> Outcome:
    """Create two dashboards of one name."""
    board = bench.board([])
    other = bench.board([], name=board["name"])
    return holds_if(other["id"] != board["id"], "a second dashboard of a name is the first one")


def dashboards_have_no_time(bench: Bench) -> Outcome:
    """Look for the time of creation."""
    return holds_if("createdAt" not in bench.board([]), "a dashboard has createdAt")


def unknown_dashboard_is_deleted(bench: Bench) -> Outcome:
    """Delete a dashboard twice."""
    board = bench.board([])
    bench.stack("DELETE", f"/dashboards/{board['id']}").check()
    reply = bench.stack("DELETE", f"/dashboards/{board['id']}")
    return holds_if(reply.response.is_success, reply.words)


def series_are_returned_as_config(bench: Bench) -> Outcome:
    """Send a tile of the older form."""
    tile = {name: value for name, value in bench.tile().items() if name != "config"}
    shown = bench.board([{**tile, "series": [bench.series()]}])["tiles"][0]
    return each_holds(
        holds_if("series" not in shown, "the tile has series"),
        equal((shown.get("config") or {}).get("displayType"), "line", "the tile's displayType"),
    )


def selected_values_get_a_language(bench: Bench) -> Outcome:
    """Select a value without a condition."""
    item = bench.board([bench.tile()])["tiles"][0]["config"]["select"][0]
    found = {name: item.get(name) for name in ("where", "whereLanguage", "valueExpression")}
    return equal(found, {"where": "", "whereLanguage": "lucene", "valueExpression": ""}, "a selected value")


def lines_get_defaults(bench: Bench) -> Outcome:
    """Send a line with what it requires."""
    config = bench.board([bench.tile()])["tiles"][0]["config"]
    return equal((config.get("asRatio"), config.get("fillNulls")), (False, True), "asRatio and fillNulls of a line")


def tiles_drop_foreign_properties(bench: Bench) -> Outcome:
    """Send a property of tables in a line, and one that no server knows."""
    config = bench.board([bench.tile(having="count() > 1", probed=True)])["tiles"][0]["config"]
    return holds_if(not {"having", "probed"} & {*config}, "a line keeps having, or an unknown property")


def saved_query_gets_a_language(bench: Bench) -> Outcome:
    """Send a query without its language."""
    return equal(bench.board([], savedQuery="a")["savedQueryLanguage"], "lucene", "savedQueryLanguage")


def filter_values_get_a_kind(bench: Bench) -> Outcome:
    """Send a value of a filter without its kind."""
    board = bench.board([], savedFilterValues=[{"condition": "ServiceName IN ('a')"}])
    return equal(board["savedFilterValues"][0].get("type"), "sql", "the kind of a filter value")


def new_filter_gets_another_id(bench: Bench) -> Outcome:
    """Add a filter with a made-up id, and send it again with its own."""
    board = bench.board([])
    one = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": bench.source_id}
    body = {"name": board["name"], "tiles": []}
    first = bench.replace(f"/dashboards/{board['id']}", {**body, "filters": [{**one, "id": "new"}]})
    id_ = first["filters"][0]["id"]
    second = bench.replace(f"/dashboards/{board['id']}", {**body, "filters": first["filters"]})
    return each_holds(
        holds_if(id_ != "new", "an update keeps the made-up id of a filter"),
        equal(second["filters"][0]["id"], id_, "the id of a known filter after an update"),
    )


def new_dashboard_has_filters_without_ids(bench: Bench) -> Outcome:
    """Create a dashboard with a filter that has an id."""
    one = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": bench.source_id}
    body = {"name": bench.name("Board"), "tiles": [], "filters": [{**one, "id": ABSENT}]}
    return _refused(bench, body)


def filters_refuse_unknown_properties(bench: Bench) -> Outcome:
    """Create a dashboard with an unknown property in a filter."""
    one = {"type": "QUERY_EXPRESSION", "name": "Service", "expression": "ServiceName", "sourceId": bench.source_id}
    return _refused(bench, {"name": bench.name("Board"), "tiles": [], "filters": [{**one, "probed": True}]})


def refusals_name_unknown_sources(bench: Bench) -> Outcome:
    """Create a tile of an unknown source."""
    reply = bench.stack("POST", "/dashboards", {"name": bench.name(), "tiles": [bench.tile(source=ABSENT)]})
    if reply.response.is_success:
        bench.will_delete(f"{bench.stack_path}/dashboards/{reply.result['id']}")
    return holds_if(reply.refused() and ABSENT in str(reply.reason), reply.words)


def _refused(bench: Bench, body: Values) -> Outcome:
    reply = bench.stack("POST", "/dashboards", body)
    if reply.response.is_success:
        bench.will_delete(f"{bench.stack_path}/dashboards/{reply.result['id']}")
    return holds_if(reply.refused(), reply.words)
