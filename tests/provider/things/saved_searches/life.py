"""Lives of saved searches."""

from __future__ import annotations

from lives.life import Life
from lives.wire import both_forms
from support.ids import LOGS, TRACES

HOSTED = Life(
    name="SavedSearch",
    kind="saved_searches",
    before=f"""name='Errors', source_id={LOGS!r}, where='SeverityText:error', where_language='lucene', tags=['shop']""",
    after=f"""name='Slow requests', source_id={TRACES!r}, where='Duration > 5', where_language='sql',
        order_by='Duration', filters=[clouddb.SavedSearchFilterArgs(condition="ServiceName IN ('shop')")]""",
    updated=frozenset(["name", "sourceId", "where", "whereLanguage", "tags", "orderBy", "filters"]),
    drift=lambda sandbox, id_: sandbox.change("saved_searches", id_, name="Mine now", where=""),
    drifted=frozenset({"name", "where"}),
    as_wanted=lambda search: (
        (search["name"], search["sourceId"], search["where"]) == ("Slow requests", TRACES, "Duration > 5")
        and (search["whereLanguage"], search["orderBy"]) == ("sql", "Duration")
        and search["filters"] == [{"condition": "ServiceName IN ('shop')"}]
        and "tags" not in search
    ),
)
LIVES = {"self-hosted saved search": HOSTED, "managed saved search": HOSTED.of_a_service}

BEFORE = {"name": "Errors", "sourceId": LOGS, "where": "SeverityText:error", "tags": ["shop"]}
AFTER = {"name": "Slow requests", "sourceId": LOGS, "where": "Duration > 5", "whereLanguage": "sql"}
DETAILS = {"name": "UPDATE", "where": "UPDATE", "whereLanguage": "ADD", "tags": "DELETE"}
OPERATIONS = ("create_saved_search", "update_saved_search", "delete_saved_search", "list_saved_searches")

WIRE_LIVES = both_forms(
    "saved search", HOSTED, OPERATIONS, BEFORE, AFTER, DETAILS, left_alone=frozenset({"createdAt", "teamId"})
)

OF_NO_INPUT = frozenset({"id", "teamId", "createdAt", "updatedAt"})
"""Outputs that tell nothing of an input."""
