"""Rows of functions about an organization, which find nothing then."""

from __future__ import annotations

from support.rows import Row, warned

CASES: list[Row] = [
    warned(
        "a tag with a colon",
        "getUsageCost",
        {"fromDate": "2026-01-01", "toDate": "2026-01-31", "filters": ["tag:team=shop", "tag:team"]},
        {"filters": ["tag:team:shop"]},
        "filters should each be `tag:KEY` or `tag:KEY=VALUE`",
    ),
    warned(
        "a zone of profiles",
        "listServiceProfiles",
        {"regionId": "us-east-1"},
        {"regionId": "us-east-1a"},
        "regionId should be a region such as us-east-1, not 'us-east-1a'; did you mean us-east-1?",
    ),
]
