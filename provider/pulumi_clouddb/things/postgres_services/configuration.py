"""The settings of a Postgres service, and their limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.values import WireDict, whole_number

from .unusual import otherwise_set

PG_SETTINGS: Final[Mapping[str, float | tuple[str, ...]]] = {
    "max_connections": 1,
    "default_transaction_isolation": ("read committed", "repeatable read", "serializable"),
    "ssl_min_protocol_version": ("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"),
    "maintenance_work_mem": 64,
    "work_mem": 64,
    "effective_cache_size": 8,
    "random_page_cost": 0,
    "effective_io_concurrency": 0,
    "max_worker_processes": 0,
    "max_parallel_workers": 0,
    "max_parallel_workers_per_gather": 0,
    "max_parallel_maintenance_workers": 0,
    "statement_timeout": 0,
    "lock_timeout": 0,
    "idle_session_timeout": 0,
    "idle_in_transaction_session_timeout": 0,
    "transaction_timeout": 0,
    "wal_sender_timeout": 0,
    "wal_keep_size": 0,
    "min_wal_size": 32768,
    "max_wal_size": 32768,
    "max_slot_wal_keep_size": 0,
    "wal_compression": ("off", "on", "lz4", "zstd"),
    "autovacuum_max_workers": 1,
    "autovacuum_naptime": 1,
    "autovacuum_work_mem": 1024,
    "autovacuum_vacuum_scale_factor": 0,
    "autovacuum_analyze_scale_factor": 0,
    "autovacuum_vacuum_insert_scale_factor": 0,
    "autovacuum_vacuum_cost_limit": 1,
    "autovacuum_vacuum_cost_delay": 0,
}
"""The settings of Postgres, with the least value of a number, or all values of any other (OpenAPI: `pgConfig`)."""

MAX_BOUNCER_SETTINGS = 64
"""The greatest number of settings of PgBouncer (OpenAPI: `pgBouncerConfig`)."""

NO_LIMIT = "-1"
"""The value that turns a limit off, or leaves it to another setting (an example in the description)."""

_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
_UNITS = "B|kB|MB|GB|TB|us|ms|s|min|h|d"
_QUANTITY = re.compile(rf"\s*{_NUMBER.pattern}\s*({_UNITS})?\s*")


def faults_of(settings: Mapping[str, object]) -> list[str]:
    """Return the settings of Postgres below their least value; only the server checks one with a unit (`64MB`)."""
    return [fault for name, value in settings.items() if isinstance(value, str) and (fault := _too_small(name, value))]


def unlisted_in(settings: Mapping[str, object]) -> list[str]:
    """Return the settings of Postgres, and the words and pairs in them, that this version does not know."""
    return [each for name, value in settings.items() if isinstance(value, str) and (each := _unlisted(name, value))]


def _too_small(name: str, value: str) -> str:
    least = PG_SETTINGS.get(name)
    if isinstance(least, (int, float)) and value != NO_LIMIT and _NUMBER.fullmatch(value) and float(value) < least:
        return f"{name} must be at least {least}, not {value}"
    return ""


def _unlisted(name: str, value: str) -> str:
    known = PG_SETTINGS.get(name)
    if known is None:
        otherwise = otherwise_set(name)
        return f"{name} {otherwise}" if otherwise else f"{name} is not{did_you_mean(name, PG_SETTINGS)}"
    if isinstance(known, tuple):
        return f"{name} has {', '.join(known)}, not {value!r}" if value not in known else ""
    if _QUANTITY.fullmatch(value):
        return ""
    units = {each.lower(): each for each in _UNITS.split("|")}
    number, unit = re.fullmatch(r"\s*([+-]?[0-9.]*)\s*(.*?)\s*", value, re.DOTALL).groups()  # type: ignore[union-attr]
    meant = f"; did you mean {number}{units[unit.lower()]}?" if number and unit.lower() in units else ""
    return f"{name} must be a number, such as 100, 64MB or 30s, not {value!r}{meant}"


def as_texts(settings: object) -> object:
    """Return settings with their values as text: servers return numbers as such."""
    if not isinstance(settings, Mapping):
        return settings
    return {name: str(whole_number(value)) for name, value in settings.items() if value is not None}


def after(
    current: WireDict, before: Mapping[str, str], wanted: Mapping[str, str], added: Mapping[str, str] | None
) -> WireDict:
    """Return the settings after a change: those removed from the program, or added by somebody since, are dropped.

    If the program has none now, those of others are kept. `added` are the settings that the server had besides after
    the last write; None if that is unknown.
    """
    others = current if added is None or not wanted else added
    kept = {name: value for name, value in current.items() if name in others and name not in before}
    return {**kept, **wanted}
