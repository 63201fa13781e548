"""Operations of the vendor's servers that this package does not use, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from description.paths import CLOUD, ORGANIZATION, POSTGRES, SELF_HOSTED, SERVICE
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

METRICS = "are current measurements: a scraper reads them"
RECORDS = "are a log of past events: no object to manage"

WITHOUT: Mapping[str, str] = {
    f"GET {ORGANIZATION}/prometheus": METRICS,
    f"GET {SERVICE}/prometheus": METRICS,
    f"GET {ORGANIZATION}/postgres/prometheus": METRICS,
    f"GET {POSTGRES}/prometheus": METRICS,
    f"GET {POSTGRES}/metrics": METRICS,
    f"GET {POSTGRES}/slowQueryPatterns": METRICS,
    f"GET {POSTGRES}/slowQueryPatterns/{{queryId}}": METRICS,
    f"GET {ORGANIZATION}/activities": RECORDS,
    f"GET {ORGANIZATION}/activities/{{activityId}}": RECORDS,
    f"GET {ORGANIZATION}/privateEndpointConfig": "deprecated: getPrivateEndpointConfig of a service reads it",
    f"GET {SERVICE}/clickhouseSettings/{{settingName}}": "the list contains every setting",
    "POST /api/v2/charts/series": "is a query: it creates nothing",
    "POST /api/v2/search": "is a query: it creates nothing",
}
"""The operations that no resource, property or function uses, and why."""


def described() -> Iterator[str]:
    """Yield method and path of each operation in the vendor's description."""
    for table in (CLOUD, SELF_HOSTED):
        for path, methods in table.items():
            yield from (f"{method} {path}" for method in methods.split())


def plain(operation: str) -> str:
    """Return an operation without the names of its placeholders, which differ between the two sides."""
    return re.sub(r"{\w+}", "{}", operation)


def used_operations() -> set[str]:
    """Return method and path of each operation that this package uses, in the vendor's dialect."""
    used = set()
    for each in OPERATIONS.values():
        if each.only in (None, CLICKHOUSE):
            managed = each.server_kind is ServerKind.MANAGEMENT
            used.add(plain(f"{each.method} {DIALECTS[CLICKHOUSE].path(each.path) if managed else each.path}"))
    return used


def test_every_operation_is_used_or_has_a_reason() -> None:
    """An operation with neither fails, and so does one with both."""
    used = used_operations()
    assert [each for each in described() if plain(each) not in used and each not in WITHOUT] == []
    assert [each for each in WITHOUT if plain(each) in used] == []
    assert WITHOUT.keys() <= {*described()}


def test_every_used_operation_is_described() -> None:
    """None is invented."""
    unknown = used_operations() - {plain(each) for each in described()}
    assert unknown == set(), "tests/description/paths.py has the vendor's paths"
