"""Examples of API keys."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import KEY_ID, Example, Examples

EXAMPLES: Examples = {
    "ApiKey": (
        Example(
            "Create a key and rotate it",
            [
                Step(
                    "reader",
                    "ApiKey",
                    {
                        "name": "report reader",
                        "roles": ["query_endpoints"],
                        "expireAt": "2030-12-31T00:00:00Z",
                        "ipAccessList": [{"source": "198.51.100.7", "description": "report server"}],
                        "rotation": "2027-01",
                    },
                )
            ],
            {"secret": Ref("reader.keySecret")},
        ),
        Example(
            "Adopt an existing key and disable it",
            [
                Step("legacy", "ApiKey", {"keyId": KEY_ID, "state": "disabled", "onDelete": "restore"}),
            ],
        ),
    ),
}
