"""Replacement of random values in responses and requests, which differ between two sandboxes.

Ids become numbers in the order of their appearance, so that references are still compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from support.ids import CALM, CONNECTION, LOGS, LOUD, TRACES

RANDOM = {
    "service, pipe, key or request": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "dashboard, tile, alert, source or team": rf"\b(?!{CALM}|{LOUD}|{LOGS}|{TRACES}|{CONNECTION})[0-9a-f]{{24}}\b",
    "start of a service's host name, role or user, which the server derives from its id": (
        r"\b[0-9a-f]{8}-[0-9a-f](?=\.)|(?<=clouddb-)[0-9a-f]{8}\b|(?<=vpce-svc-)[0-9a-f]{8}\b|(?<=mysql4)[0-9a-f]+|(?<=\.)[0-9a-f]{8}(?=\.pg\.)"
    ),
    "mark of a create, or token to join a team": r"\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b",
    "port of the sandbox": r"(?<=127\.0\.0\.1:)\d+",
}
"""The kinds of random values, and their patterns."""

GENERATED = frozenset(
    {
        "password",
        "connectionString",
        "keySecret",
        "accessKeyId",
        "keySuffix",
        "createdAt",
        "updatedAt",
        "startedAt",
        "joinedAt",
    }
    | {"finishedAt", "lastValidatedAt", "encryptionRoleId", "earliestRestoreTime", "privateDnsHostname"}
    | {"keyIdHash", "keyIdSuffix", "keySecretHash"}
)
"""Credentials, names and times that the server creates: two times may be equal in one of the sandboxes only."""

_PATTERN = re.compile("|".join(f"({pattern})" for pattern in RANDOM.values()))


class Names:
    """The replacements of random values in one sandbox."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def plain(self, value: Any) -> Any:
        """Return a value with its random parts replaced."""
        if isinstance(value, dict):
            return {
                name: f"<{name}>" if name in GENERATED and isinstance(item, str) else self.plain(item)
                for name, item in sorted(value.items())
            }
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        return _PATTERN.sub(self._name, value) if isinstance(value, str) else value

    def response(self, response: dict[str, Any]) -> dict[str, Any]:
        """Return a response; its error is replaced last, as one of the front ends may have none.

        `details` are unchanged: they have kinds of changes by property, and no values.
        """
        errors = ("error", "reasons")
        rest = self.plain({name: value for name, value in response.items() if name not in (*errors, "details")})
        rest |= {"details": response["details"]} if "details" in response else {}
        return {**rest, **{name: self.plain(response[name]) for name in errors if name in response}}

    def _name(self, match: re.Match[str]) -> str:
        return self._names.setdefault(match[0], f"<{len(self._names)}>")


def once(requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out requests that depend on timing: the repeated ones of a wait.

    A repeated read counts once. A list is reused within a poll interval, so that only the first one of a collection is
    certain.
    """
    kept: list[dict[str, Any]] = []
    listed: set[str] = set()
    for each in requests:
        is_list = str(each["operation"]).removeprefix("self_hosted_").startswith("list_")
        if not (is_list and each["operation"] in listed) and not (
            kept and each["method"] == "GET" and each == kept[-1]
        ):
            kept.append(each)
        if is_list:
            listed.add(each["operation"])
    return kept
