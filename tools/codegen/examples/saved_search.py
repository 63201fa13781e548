"""Examples of saved searches."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples
from .source import FOUND_LOGS

_SEARCH = Step(
    "errors",
    "SavedSearch",
    {
        "name": "Errors of the shop",
        "sourceId": Ref("logs.id"),
        "where": "SeverityText:error",
        "whereLanguage": "lucene",
        "orderBy": "Timestamp DESC",
        "tags": ["shop"],
    },
)

EXAMPLES: Examples = {
    "SavedSearch": (Example("Keep a search over the logs", [FOUND_LOGS, _SEARCH], {"searchId": Ref("errors.id")}),),
    "getSavedSearch": (
        Example(
            "Read a saved search",
            [Step("search", "getSavedSearch", {"savedSearchId": "search-1"})],
            {"condition": Ref("search.where")},
        ),
    ),
}
