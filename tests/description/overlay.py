"""What servers do against their published description, each with source and date.

An entry replaces the schema of a property, or a whole schema, when bodies are validated. `test_overlay.py` fails for an
entry that the kept facts already have.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .facts import CLOUD, NULL, OBSERVABILITY, Facts, Schema


@dataclass(frozen=True)
class Entry:
    """A schema that servers do not keep to.

    Attributes:
        file: The facts that have it.
        schema: The named schema.
        path: The way to the replaced schema in it; empty for all of it.
        fact: What servers accept or return.
        source: Where that is seen.
        date: When, as `YYYY-MM`.
    """

    file: Path
    schema: str
    path: tuple[str | int, ...]
    fact: Schema
    source: str
    date: str

    @property
    def name(self) -> str:
        """The replaced schema in words."""
        return ".".join(map(str, (self.schema, *self.path)))


_IN_ENVELOPE = "the description of autumn 2026 has the records in the result and the cursor in the envelope"
_SETTINGS = "the description of autumn 2026 has an object"
_OBJECT = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
_NULL_SEEN = "the server 2.36.0 returns null"


def _or_null(name: str) -> Schema:
    return {"anyOf": [{"$ref": f"#/schemas/{name}"}, NULL]}


def _list(name: str) -> Schema:
    return {"type": "array", "items": {"$ref": f"#/schemas/{name}"}}


OVERLAY: tuple[Entry, ...] = (
    Entry(CLOUD, "ServiceClickhouseSettingsPatchRequest", ("properties", "settings"), _OBJECT, _SETTINGS, "2026-11"),
    Entry(CLOUD, "ServiceClickhouseSettingsPatchResponse", ("properties", "settings"), _OBJECT, _SETTINGS, "2026-11"),
    Entry(CLOUD, "UdfListResponse", (), _list("Udf"), _IN_ENVELOPE, "2026-11"),
    Entry(CLOUD, "UdfVersionListResponse", (), _list("Udf"), _IN_ENVELOPE, "2026-11"),
    Entry(CLOUD, "UdfAttachmentListResponse", (), _list("UdfAttachment"), _IN_ENVELOPE, "2026-11"),
    Entry(
        CLOUD,
        "CurrentScaling",
        ("properties", "effectiveIdleTimeoutMinutes"),
        {"type": "number"},
        "the timeout of idling is described as a number, and this one is the timeout in effect",
        "2026-07",
    ),
    *(
        Entry(
            CLOUD,
            "BackupConfigurationPatchRequest",
            ("properties", name),
            {"type": ["null", kind]},
            "an update returns to the defaults by null; the description does not mention null",
            "2026-07",
        )
        for name, kind in (
            ("backupPeriodInHours", "number"),
            ("backupRetentionPeriodInHours", "number"),
            ("backupStartTime", "string"),
        )
    ),
    *(
        Entry(
            CLOUD,
            name,
            ("properties", "mskAuthentication"),
            {"type": ["null", "string"], "enum": [None, "SASL_IAM", "SASL_SCRAM"]},
            "its type has null, which its enum lacks",
            "2026-07",
        )
        for name in ("CreateReversePrivateEndpoint", "ReversePrivateEndpoint")
    ),
    Entry(
        CLOUD,
        "postgresInstanceConfig",
        ("properties", "pgBouncerConfig"),
        {"type": "object", "additionalProperties": {"type": "string"}},
        "the limits are those of requests: a service without settings of PgBouncer has none to return",
        "2026-07",
    ),
    *(
        Entry(
            OBSERVABILITY, name, ("properties", "savedQueryLanguage"), _or_null("QueryLanguage"), _NULL_SEEN, "2026-08"
        )
        for name in ("Dashboard", "CreateDashboardRequest", "UpdateDashboardRequest")
    ),
    Entry(
        OBSERVABILITY,
        "AlertResponse",
        ("allOf", 1, "properties", "silenced"),
        _or_null("AlertSilenced"),
        _NULL_SEEN,
        "2026-08",
    ),
)


def described(facts: Facts, entry: Entry) -> Any:
    """Return what the facts have in the place of an entry; None if the place is gone."""
    found: Any = facts.schemas.get(entry.schema)
    for step in entry.path:
        within = found is not None and (step in found if isinstance(step, str) else step < len(found))
        found = found[step] if within else None
    return found


def corrected(facts: Facts, entries: Iterable[Entry]) -> Facts:
    """Return the facts with the entries in their places."""
    schemas = dict(facts.schemas)
    for each in entries:
        schemas[each.schema] = _replaced(schemas[each.schema], each.path, each.fact)
    return replace(facts, schemas=schemas)


def _replaced(schema: Any, path: tuple[str | int, ...], fact: Schema) -> Any:
    if not path:
        return fact
    copy = schema.copy()
    copy[path[0]] = _replaced(schema[path[0]], path[1:], fact)
    return copy
