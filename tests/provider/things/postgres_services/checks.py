"""Rows of Postgres services: where they come from, their passwords, settings and logs."""

from __future__ import annotations

from pulumi_clouddb.schema.tags import MAX_TAGS
from support.rows import UUID, Row, Usual, Values, refused, warned

POSTGRES = Usual("PostgresService", {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"})
REPLICA = {"provider": None, "region": None, "size": None, "readReplicaOf": UUID}
TAGS = [{"key": f"k{index}"} for index in range(MAX_TAGS + 1)]
DAY = {"postgresServiceId": UUID, "fromDate": "2026-01-31T00:00:00Z", "toDate": "2026-02-01T00:00:00Z"}
LIMITS = "pgConfig must contain settings within their limits; "
WRONG_LOGS: dict[str, tuple[Values, str]] = {
    "a day without a time": ({"fromDate": "2026-01-31"}, "fromDate must be an ISO-8601 date-time"),
    "no entry": ({"limit": 0}, "limit must be at least 1"),
    "2001 entries": ({"limit": 2001}, "limit must be at most 2000"),
    "a negative offset": ({"offset": -1}, "offset must be at least 0"),
}
CASES: list[Row] = [
    *(refused(title, "listPostgresLogs", DAY, wrong, said) for title, (wrong, said) in WRONG_LOGS.items()),
    warned(
        "times to come",
        "listPostgresLogs",
        DAY,
        {"fromDate": "2226-01-01T00:00:00Z", "toDate": "2226-01-02T00:00:00Z"},
        "fromDate should be in the past, not '2226-01-01T00:00:00Z'",
    ),
    POSTGRES.rule({}, {"region": None}, "region is required without"),
    POSTGRES.rule(REPLICA, {**REPLICA, "password": "Orders-0123456"}, "a replica has that"),
    POSTGRES.rule(
        {"pgConfig": {"work_mem": "64"}}, {"pgConfig": {"work_mem": "63"}}, f"{LIMITS}work_mem must be at least 64"
    ),
    POSTGRES.rule(
        {"pgConfig": {"work_mem": "4MB", "min_wal_size": "80MB"}},
        {"pgConfig": {"work_mem": "1", "min_wal_size": "2"}},
        "min_wal_size must",
    ),
    POSTGRES.rule({}, {"pgConfig": {}}, "pgConfig must have at least 1"),
    POSTGRES.rule({"password": "Orders-0123456"}, {"password": "Orders-without"}, "a lowercase letter, an uppercase"),
    POSTGRES.rule({"password": "Orders-0123456"}, {"password": "Orders-1"}, "password must have at least 12"),
    POSTGRES.rule({"tags": TAGS[1:]}, {"tags": TAGS}, "tags must have at most 50"),
    *(
        refused(
            title, "listPostgresLogs", DAY, {"toDate": to_date}, "toDate must be after fromDate, and at most 30 days"
        )
        for title, to_date in (("31 days", "2026-03-03T00:00:00Z"), ("no time", DAY["fromDate"]))
    ),
]
