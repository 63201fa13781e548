"""Operations of the vendor's servers that this package does not use, each with its reason."""

from __future__ import annotations

from collections.abc import Mapping

from description.bodies import facts_of
from description.facts import CLOUD, OBSERVABILITY
from description.here import plain, used

ORGANIZATION = "/v1/organizations/{organizationId}"
SERVICE = f"{ORGANIZATION}/services/{{serviceId}}"
POSTGRES = f"{ORGANIZATION}/postgres/{{postgresId}}"

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

DESCRIBED = {*facts_of(CLOUD).operations, *facts_of(OBSERVABILITY).operations}
"""Method and path of each operation in the vendor's descriptions, and of those that the overlay adds."""


def test_every_operation_is_used_or_has_a_reason() -> None:
    """An operation with neither fails, and so does one with both."""
    assert [each for each in DESCRIBED if plain(each) not in used() and each not in WITHOUT] == []
    assert [each for each in WITHOUT if plain(each) in used()] == []
    assert WITHOUT.keys() <= DESCRIBED


def test_every_used_operation_is_described() -> None:
    """None is invented."""
    assert used().keys() - {plain(each) for each in DESCRIBED} == set()
