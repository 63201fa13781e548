"""The dialects of the wire: that of the interface, and that of the vendor.

A dialect renames path segments, fields and settings keys, in both directions: the sandbox uses it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.schema.vocabulary import VENDOR_URL, VocabularyName


@dataclass(frozen=True)
class Dialect:
    """One dialect.

    Attributes:
        base_url: Default address of the management API.
        segments: Path segments, interface's to server's.
        fields: Per record, field names, interface's to server's.
        settings_prefix: Prefix of the engine's settings keys, interface's and server's.
        dropped: Per record, fields that the server does not know; they are not sent.
        markable: Records whose requests can carry what was generated here: a tag on a service, hashes of a key's own
            secret, or of a password.
    """

    base_url: str | None = None
    segments: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    settings_prefix: tuple[str, str] = ("", "")
    dropped: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    markable: frozenset[str] = frozenset()

    def path(self, path: str) -> str:
        """Translate a path of the management API to the server's segments."""
        return "/".join(self.segments.get(segment, segment) for segment in path.split("/"))

    def to_server(self, record: str, value: object) -> Any:
        """Translate a record, or a list of records, to the server's names."""
        return self._translate(record, value, self.fields, *self.settings_prefix)

    def from_server(self, record: str, value: object) -> object:
        """Translate a record, or a list of records, from the server's names to the interface's."""
        if not self._differs(record):
            return value
        backwards = {name: {theirs: ours for ours, theirs in names.items()} for name, names in self.fields.items()}
        ours, theirs = self.settings_prefix
        return self._translate(record, value, backwards, theirs, ours)

    def _differs(self, record: str) -> bool:
        """Return whether the server has other names for a record, or for a record in it."""
        if record in self.fields or record in self.dropped or (record == "Settings" and any(self.settings_prefix)):
            return True
        return any(map(self._differs, _PARTS.get(record, {}).values()))

    def _translate(
        self, record: str, value: object, fields: Mapping[str, Mapping[str, str]], prefix: str, other: str
    ) -> object:
        if isinstance(value, list):
            return [self._translate(record, item, fields, prefix, other) for item in value]
        if not isinstance(value, dict):
            return value
        names = fields.get(record, {})
        gone = self.dropped.get(record, ())
        fixed = record in _ONLY_TEXTS
        translated = {
            key if fixed and not isinstance(item, str) else names.get(key, key): item
            for key, item in value.items()
            if key not in gone
        }
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
    "Tile": {"series": "Series", "config": "Config"},
}
"""The fields of a record that contain records."""

_ONLY_TEXTS = frozenset({"Config"})
"""The records whose fields are renamed only where they are texts: the `select` of a tile is a list or a text."""

_CONFIG = {"Config": {"columns": "select"}}


def _swap(key: str, prefix: str, other: str) -> str:
    return other + key[len(prefix) :] if key.startswith(prefix) else key


DIALECTS: dict[VocabularyName, Dialect] = {
    VocabularyName.NEUTRAL: Dialect(fields=_CONFIG),
    VocabularyName.CLICKHOUSE: Dialect(
        base_url=VENDOR_URL,
        segments={"pipes": "clickpipes", "stack": "clickstack"},
        fields={
            "Service": {"engineVersion": "clickhouseVersion"},
            "Alert": {"team": "teamId", "dashboard": "dashboardId"},
            "Member": {"id": "userId"},
            "UserDefinedFunction": {"name": "functionName"},
            **_CONFIG,
        },
        settings_prefix=("engine_", "clickhouse_"),
        dropped={"Series": ("dataSource",)},
        markable=frozenset({"Service", "PostgresService", "Key", "Password"}),
    ),
}
"""The dialects by the value of `clouddb:vocabulary`."""
