"""Names of settings of Postgres and PgBouncer that are at another place, or misspelt."""

from __future__ import annotations

from collections.abc import Mapping
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


def otherwise_set(name: str) -> str:
    """Return what is known of a setting that `pgConfig` does not have; empty if that is nothing."""
    if name in _NAMES_OF_BOUNCER:
        return "is a setting of PgBouncer: move it to pgBouncerConfig"
    return "cannot be set here, though Postgres has it: remove it" if name.lower() in _OF_SERVERS.split() else ""


def unusual_in_bouncer(settings: Settings, known: Mapping[str, object]) -> list[str]:
    """Return what is unusual about settings of PgBouncer; the names of those of Postgres are `known`."""
    others = [name for name in settings if name not in _NAMES_OF_BOUNCER]
    moved = [f"{name} is a setting of Postgres: {_INSTEAD.get(name, _MOVE)}" for name in others if name in known]
    misspelt = [
        f"{name} is not{near}"
        for name in others
        if name not in known and (near := did_you_mean(name, _NAMES_OF_BOUNCER, 1, _ALIKE))
    ]
    mode = settings.get("pool_mode")
    modes = [f"pool_mode must be one of {', '.join(_POOL_MODES)}, not {mode!r}"] if isinstance(mode, str) else []
    return [*moved, *misspelt, *(modes if mode not in _POOL_MODES else ())]
