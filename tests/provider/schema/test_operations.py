"""What the vendor's servers offer, and nothing here does: each operation with its reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from description.paths import CLOUD, ORGANIZATION, POSTGRES, SELF_HOSTED, SERVICE
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

METRICS = "measurements of a moment: a scraper reads them"
RECORDS = "records of what has happened: nothing lasting"

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
    f"GET {SERVICE}/clickhouseSettings/{{settingName}}": "the list has every setting",
    "POST /api/v2/charts/series": "a query: it reads data, and makes nothing",
    "POST /api/v2/search": "a query: it reads data, and makes nothing",
}
"""The operations that no resource, property or function uses, and why."""


def described() -> Iterator[str]:
    """Yield method and path of each operation that the vendor describes."""
    for table in (CLOUD, SELF_HOSTED):
        for path, methods in table.items():
            yield from (f"{method} {path}" for method in methods.split())


def plain(operation: str) -> str:
    """Return an operation without the names of its placeholders, which are each side's own."""
    return re.sub(r"{\w+}", "{}", operation)


def ours() -> set[str]:
    """Return method and path of each operation that things here have, in the vendor's words."""
    found = set()
    for each in OPERATIONS.values():
        if each.only in (None, CLICKHOUSE):
            managed = each.server_kind is ServerKind.MANAGEMENT
            found.add(plain(f"{each.method} {DIALECTS[CLICKHOUSE].path(each.path) if managed else each.path}"))
    return found


def test_every_operation_has_a_use_or_a_reason() -> None:
    """One that has neither is named, and so is one that has both."""
    used = ours()
    assert [each for each in described() if plain(each) not in used and each not in WITHOUT] == []
    assert [each for each in WITHOUT if plain(each) in used] == []
    assert WITHOUT.keys() <= {*described()}


def test_no_operation_is_made_up() -> None:
    """Each one of ours is described."""
    assert ours() - {plain(each) for each in described()} == set()
