"""What two worlds of the same making differ in by chance, taken out of answers and requests.

Ids become numbers in the order they appear, so that who names whom is still compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from support.ids import CALM, CONNECTION, LOGS, LOUD, TRACES

BY_CHANCE = {
    "service, pipe, key or request": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "dashboard, tile, alert, source or team": rf"\b(?!{CALM}|{LOUD}|{LOGS}|{TRACES}|{CONNECTION})[0-9a-f]{{24}}\b",
    "start of a service's host name, role or user, which the server makes of its id": (
        r"\b[0-9a-f]{8}-[0-9a-f](?=\.)|(?<=clouddb-)[0-9a-f]{8}\b|(?<=vpce-svc-)[0-9a-f]{8}\b|(?<=mysql4)[0-9a-f]+|(?<=\.)[0-9a-f]{8}(?=\.pg\.)"
    ),
    "mark of a create, or token to join a team": r"\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b",
    "port of the sandbox": r"(?<=127\.0\.0\.1:)\d+",
}
"""What it stands for, and how it looks."""

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
    | {"finishedAt"}
    | {"keyIdHash", "keyIdSuffix", "keySecretHash"}
)
"""Fields of credentials and moments that the server makes: two moments may be the same one in one of the worlds."""

_PATTERN = re.compile("|".join(f"({pattern})" for pattern in BY_CHANCE.values()))


class Names:
    """The names that stand for what is there by chance, in one world."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def plain(self, value: Any) -> Any:
        """Return a value with names in place of what is there by chance."""
        if isinstance(value, dict):
            return {
                name: f"<{name}>" if name in GENERATED and isinstance(item, str) else self.plain(item)
                for name, item in sorted(value.items())
            }
        if isinstance(value, (list, tuple)):
            return [self.plain(item) for item in value]
        return _PATTERN.sub(self._name, value) if isinstance(value, str) else value

    def answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return an answer; the words of its error come last, as one of the front ends has none in their place.

        `details` are left as they are: they have kinds of changes by property, and no values.
        """
        words = ("error", "reasons")
        found = self.plain({name: value for name, value in answer.items() if name not in (*words, "details")})
        found |= {"details": answer["details"]} if "details" in answer else {}
        return {**found, **{name: self.plain(answer[name]) for name in words if name in answer}}

    def _name(self, match: re.Match[str]) -> str:
        return self._names.setdefault(match[0], f"<{len(self._names)}>")


def once(requests: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out what depends on the time: how often one looks while something is waited for.

    A read that is repeated counts once. A list serves whoever asks within a poll interval, so that only the first one
    of a collection is sure.
    """
    kept: list[dict[str, Any]] = []
    listed: set[str] = set()
    for each in requests:
        look = str(each["operation"]).removeprefix("self_hosted_").startswith("list_")
        if not (look and each["operation"] in listed) and not (kept and each["method"] == "GET" and each == kept[-1]):
            kept.append(each)
        if look:
            listed.add(each["operation"])
    return kept
