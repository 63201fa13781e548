"""What of the vendor's APIs this package does not use, and why: the tables of docs/not-managed.md.

tests/provider/schema/test_operations.py compares them with the vendor's description and with what is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import OPERATIONS as OWN
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .docs import table
from .names import Json

_METRICS = "Returns current measurements, which a scraper reads"
_RECORDS = "Is a log of past events, and no object"
_QUERY = "Is a query, which creates nothing"
_PATH = "Is described without its path, and is in beta"


class Unused(NamedTuple):
    """An operation that no resource, property or function uses.

    Attributes:
        call: Method and path; empty if no source has the path.
        reason: Why it is not used.
    """

    call: str
    reason: str


_ORGANIZATION = "/v1/organizations/{organizationId}"
_SERVICE = f"{_ORGANIZATION}/services/{{serviceId}}"
_POSTGRES = f"{_ORGANIZATION}/postgres/{{postgresId}}"

KNOWN: Mapping[str, Unused] = {
    "organizationPrometheusGet": Unused(
        f"GET {_ORGANIZATION}/prometheus",
        "Is deprecated: off on 1 January 2027, and already for new organizations. `getPrometheusTargets` lists the "
        "targets for a scraper",
    ),
    "instancePrometheusGet": Unused(f"GET {_SERVICE}/prometheus", _METRICS),
    "postgresOrgPrometheusGet": Unused(f"GET {_ORGANIZATION}/postgres/prometheus", _METRICS),
    "postgresInstancePrometheusGet": Unused(f"GET {_POSTGRES}/prometheus", _METRICS),
    "postgresInstanceMetricsGet": Unused(f"GET {_POSTGRES}/metrics", _METRICS),
    "slowQueryPatternsGetList": Unused(f"GET {_POSTGRES}/slowQueryPatterns", _METRICS),
    "slowQueryPatternGet": Unused(f"GET {_POSTGRES}/slowQueryPatterns/{{queryId}}", _METRICS),
    "activityGetList": Unused(f"GET {_ORGANIZATION}/activities", _RECORDS),
    "activityGet": Unused(f"GET {_ORGANIZATION}/activities/{{activityId}}", _RECORDS),
    "activeBalancesGet": Unused(
        f"GET {_ORGANIZATION}/activeBalances", "Is deprecated: `getCreditBalances` reads the credits of all kinds"
    ),
    "organizationPrivateEndpointConfigGetList": Unused(
        f"GET {_ORGANIZATION}/privateEndpointConfig",
        "Is deprecated: `getPrivateEndpointConfig` reads that of a service",
    ),
    "serviceClickhouseSettingGet": Unused(
        f"GET {_SERVICE}/clickhouseSettings/{{settingName}}", "The list, which is read, contains every setting"
    ),
    "notificationGetList": Unused("", _RECORDS),
    "memberNotificationSettingsGetList": Unused("", _PATH),
    "memberNotificationSettingsUpdate": Unused("", _PATH),
    "queryChartSeries": Unused("POST /api/v2/charts/series", _QUERY),
    "searchEvents": Unused("POST /api/v2/search", _QUERY),
}
"""Operations by their id in the vendor's description, or on its pages; one that is used is not in the table."""


def plain(call: str) -> str:
    """Return a request without the names of its placeholders, which each side chooses."""
    return re.sub(r"{\w+}", "{}", call)


def _used() -> frozenset[str]:
    """Return the requests of this package in the vendor's words."""
    dialect = DIALECTS[CLICKHOUSE]
    return frozenset(
        plain(f"{each.method} {dialect.path(each.path) if each.server_kind is ServerKind.MANAGEMENT else each.path}")
        for each in OWN.values()
        if each.only in (None, CLICKHOUSE)
    )


_USED = _used()
OPERATIONS = {name: each for name, each in KNOWN.items() if plain(each.call) not in _USED}
"""The operations that are not used."""

VALUES: Mapping[str, str] = {
    "command `resync` of a pipe": "Copies all data again, which no program can want at each update",
    "command `switchover` of a Postgres service": "Is a single action, which leaves no state to describe",
    "`validateSamples` of a pipe's source": "Is experimental, as its description says: it may be removed",
    "channel type `agent` of an alert": "Is behind a switch of the server, and not in a release",
    "`renotifyIntervalMinutes` of an alert": "Is proposed, and not in a release",
    "tiles and alerts of type `promql`": "The API refuses them, and does not return those of the user interface",
    "`savedFilterValues` of type `lucene` and `sql_ast`": "The API returns and does not accept them",
    "plain-text passwords of a service": "The API accepts hashes only, or generates a password",
    "fields of activities, descriptions and examples of settings": "Are for people, and no program depends on them",
}
"""Values and fields that programs cannot set or read."""


def operations(_: Json) -> str:
    """Return the table of the unused operations."""
    rows = [[f"`{name}`", f"`{each.call}`" if each.call else "", each.reason] for name, each in OPERATIONS.items()]
    return table(["Operation", "Request", "Why it is not used"], rows)


def values(_: Json) -> str:
    """Return the table of the unused values and fields."""
    return table(
        ["What", "Why it is not supported"], [[name[0].upper() + name[1:], why] for name, why in VALUES.items()]
    )
