"""Settings of Postgres and PgBouncer that hardly anybody means: in another unit, or at odds with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import inf
from typing import Final

from pulumi_clouddb.schema.names import did_you_mean

Settings = Mapping[str, object]

_OF_SERVERS: Final = """archive_command archive_mode autovacuum checkpoint_timeout datestyle default_statistics_target
    fsync full_page_writes hot_standby_feedback huge_pages jit listen_addresses log_connections log_line_prefix
    log_min_duration_statement log_statement max_locks_per_transaction max_prepared_transactions max_replication_slots
    max_wal_senders port search_path shared_buffers shared_preload_libraries ssl superuser_reserved_connections
    synchronous_commit synchronous_standby_names temp_buffers timezone wal_buffers wal_level"""
_OF_BOUNCER: Final = """autodb_idle_timeout cancel_wait_timeout client_idle_timeout client_login_timeout
    default_pool_size idle_transaction_timeout ignore_startup_parameters max_client_conn max_db_client_connections
    max_db_connections max_prepared_statements max_user_client_connections max_user_connections min_pool_size pool_mode
    query_timeout query_wait_timeout reserve_pool_size reserve_pool_timeout server_check_delay server_check_query
    server_connect_timeout server_idle_timeout server_lifetime server_login_retry server_reset_query
    server_reset_query_always suspend_timeout transaction_timeout"""
_NAMES_OF_BOUNCER: Final = frozenset(_OF_BOUNCER.split())
_ALIKE: Final = 0.85
_MOVE: Final = "move it to pgConfig"
_INSTEAD: Final = {"max_connections": f"{_MOVE}, or write max_client_conn for the clients of PgBouncer"}
_POOL_MODES: Final = ("session", "transaction", "statement")
_SECONDS: Final = " ".join(each for each in sorted(_NAMES_OF_BOUNCER) if each.endswith(("_timeout", "_lifetime")))
_FACTORS: Final = "autovacuum_vacuum_scale_factor autovacuum_analyze_scale_factor autovacuum_vacuum_insert_scale_factor"
_ODD: Final = (
    ("statement_timeout lock_timeout transaction_timeout", 1, 100, 1, "ms", 1, "s"),
    ("idle_session_timeout idle_in_transaction_session_timeout wal_sender_timeout", 1, 1000, 1, "ms", 1, "s"),
    ("work_mem maintenance_work_mem", 64, 1024, 1, "kB", 1, "MB"),
    ("work_mem maintenance_work_mem autovacuum_work_mem", 2**26, inf, 1024, "kB", 1 / 1024, "kB"),
    (_FACTORS, 2, inf, 1, "parts of 1", 0.01, ""),
    ("autovacuum_naptime", 5000, inf, 1000, "s", 0.001, "s"),
)
_ODD_OF_BOUNCER: Final = ((_SECONDS, 5000, inf, 1000, "s", 0.001, ""),)
"""Numbers that are probably in another unit: the settings, range, step, unit, and the factor and unit of the usual."""

_ORDERED: Final = (
    ("max_parallel_workers", "max_worker_processes"),
    ("max_parallel_workers_per_gather", "max_parallel_workers"),
    ("max_parallel_maintenance_workers", "max_parallel_workers"),
    ("lock_timeout", "statement_timeout"),
    ("statement_timeout", "transaction_timeout"),
    ("idle_in_transaction_session_timeout", "transaction_timeout"),
)
_ORDERED_OF_BOUNCER: Final = (
    ("min_pool_size", "default_pool_size"),
    ("default_pool_size", "max_client_conn"),
    ("default_pool_size", "max_db_connections"),
    ("default_pool_size", "max_connections"),
    ("max_db_connections", "max_connections"),
)
"""Settings of which the first has no effect beyond the second one, where zero is no limit."""

_UNITS: Final = {"": 1, "us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_UNITS_OF_MEMORY: Final = {"B": 1 / 1024, "kB": 1, "MB": 1024, "GB": 1024**2, "TB": 1024**3}


def otherwise_set(name: str) -> str:
    """Return what is known of a setting that `pgConfig` does not have; empty if that is nothing."""
    if name in _NAMES_OF_BOUNCER:
        return "is a setting of PgBouncer: move it to pgBouncerConfig"
    return "cannot be set here, though Postgres has it: remove it" if name.lower() in _OF_SERVERS.split() else ""


def unusual_in(settings: Settings) -> list[str]:
    """Return what is unusual about settings of Postgres."""
    return [*_odd(settings, _ODD), *_disordered(settings, _ORDERED)]


def unusual_in_bouncer(settings: Settings, of_postgres: Settings, known: Mapping[str, object]) -> list[str]:
    """Return what is unusual about settings of PgBouncer, beside those of Postgres, whose names are `known`."""
    others = [name for name in settings if name not in _NAMES_OF_BOUNCER]
    moved = [f"{name} is a setting of Postgres: {_INSTEAD.get(name, _MOVE)}" for name in others if name in known]
    misspelt = [
        f"{name} is not{near}"
        for name in others
        if name not in known and (near := did_you_mean(name, _NAMES_OF_BOUNCER, 1, _ALIKE))
    ]
    mode = settings.get("pool_mode")
    modes = [f"pool_mode must be one of {', '.join(_POOL_MODES)}, not {mode!r}"] if isinstance(mode, str) else []
    faults = [*moved, *misspelt, *(modes if mode not in _POOL_MODES else ())]
    return [*faults, *_odd(settings, _ODD_OF_BOUNCER), *_disordered({**of_postgres, **settings}, _ORDERED_OF_BOUNCER)]


def _number(value: object) -> tuple[float, str] | None:
    """Return a number in the usual unit, and the unit that it is written with; None for other values."""
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([A-Za-z]*)\s*", value) if isinstance(value, str) else None
    factor = {**_UNITS, **_UNITS_OF_MEMORY}.get(match[2]) if match else None
    return (float(match[1]) * factor, match[2]) if match and factor else None


def _odd(settings: Settings, table: tuple[tuple[str, float, float, float, str, float, str], ...]) -> Iterator[str]:
    for names, least, below, step, unit, factor, meant in table:
        for name in names.split():
            number, written = _number(settings.get(name)) or (0, "")
            is_whole = number % step == 0 and (step != 1000 or number % 3600)  # and no hours in seconds
            if least <= number < below and not written and is_whole:
                yield f"{name} is in {unit}, not {settings[name]}; did you mean {number * factor:.12g}{meant}?"


def _disordered(settings: Settings, table: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for small, large in table:
        low, high = _number(settings.get(small)), _number(settings.get(large))
        if low and high and low[0] > high[0] and (high[0] or "worker" in large):
            yield f"{small} must be at most {large} ({settings[large]}), not {settings[small]}"
