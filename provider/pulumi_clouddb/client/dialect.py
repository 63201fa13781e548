"""The words on the wire: the interface's own, or the vendor's.

This is the only place that knows the difference. It renames path segments, fields and settings keys. It works
both ways, so that a server can be spoken for, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.schema.config import VENDOR_URL
from pulumi_clouddb.schema.vocabulary import VocabularyName


@dataclass(frozen=True)
class Dialect:
    """One set of words.

    Attributes:
        base_url: Address of the management API when the configuration gives none.
        segments: Path segments, interface's to server's.
        fields: Per record, field names, interface's to server's.
        settings_prefix: Prefix of the engine's settings keys, interface's and server's.
        dropped: Per record, fields that the server no longer knows; they are not sent.
        takes_more: Whether its servers take properties that they do not know, and drop them: then what an answer held
            can be sent back whole.
        markable: Records whose requests can carry what was made here: a tag on a service, hashes of a key's own
            secret, or of a password.
    """

    base_url: str | None = None
    segments: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings_prefix: tuple[str, str] = ("", "")
    dropped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    takes_more: bool = False
    markable: frozenset[str] = frozenset()

    def path(self, path: str) -> str:
        """Put a path of the management API into the server's words."""
        return "/".join(self.segments.get(segment, segment) for segment in path.split("/"))

    def to_server(self, record: str, value: object) -> Any:
        """Put a record, or a list of records, into the server's words."""
        return self._translate(record, value, self.fields, *self.settings_prefix)

    def from_server(self, record: str, value: object) -> object:
        """Put a record, or a list of records, from the server's words into the interface's."""
        backwards = {name: {theirs: ours for ours, theirs in names.items()} for name, names in self.fields.items()}
        ours, theirs = self.settings_prefix
        return self._translate(record, value, backwards, theirs, ours)

    def _translate(
        self, record: str, value: object, fields: Mapping[str, Mapping[str, str]], prefix: str, other: str
    ) -> object:
        if isinstance(value, list):
            return [self._translate(record, item, fields, prefix, other) for item in value]
        if not isinstance(value, dict):
            return value
        names = fields.get(record, {})
        gone = self.dropped.get(record, ())
        translated = {names.get(key, key): item for key, item in value.items() if key not in gone}
        for key, inner in _PARTS.get(record, {}).items():
            if key in translated:
                translated[key] = self._translate(inner, translated[key], fields, prefix, other)
        if record == "Settings" and prefix != other:
            translated = {_swap(key, prefix, other): item for key, item in translated.items()}
        return translated


_PARTS: dict[str, dict[str, str]] = {
    "ServiceCreated": {"service": "Service"},
    "Pipe": {"settings": "Settings"},
    "Dashboard": {"tiles": "Tile"},
    "Tile": {"series": "Series"},
}
"""Which fields of a record hold records of their own."""


def _swap(key: str, prefix: str, other: str) -> str:
    return other + key[len(prefix) :] if key.startswith(prefix) else key


DIALECTS: dict[VocabularyName, Dialect] = {
    VocabularyName.NEUTRAL: Dialect(),
    VocabularyName.CLICKHOUSE: Dialect(
        base_url=VENDOR_URL,
        segments={"pipes": "clickpipes", "stack": "clickstack"},
        fields={
            "Service": {"engineVersion": "clickhouseVersion"},
            "Alert": {"team": "teamId", "dashboard": "dashboardId"},
        },
        settings_prefix=("engine_", "clickhouse_"),
        dropped={"Series": ("dataSource",)},
        takes_more=True,
        markable=frozenset({"Service", "Key", "Password"}),
    ),
}
"""The known dialects by the name that the configuration gives."""
