"""Lives in the clickhouse dialect, and cases of the provider rather than of a resource."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN
from lives.table import WIRE_LIVES

from .case import Case
from .cases_lives import SAME, SAME_CODE, by_drift
from .differences import CLASS, CONFIGURATION, PREVIEWS
from .steps import check, check_config, create, delete, diff, has, later_command, preview_update, refresh, update

CASES = [
    *(
        Case(
            f"{life}: a life in the clickhouse dialect",
            life.life.name,
            (
                check(life.before, failures=[]),
                create(life.before),
                update(life.after),
                later_command(),
                refresh(),
                diff(life.after, **SAME),
                *by_drift(life),
                delete(),
            ),
            server={"vocabulary": "clickhouse"},
            setting=life.life.setting,
            slow=life.name in SAME_CODE,
        )
        for life in WIRE_LIVES
        if life.life.server.get("vocabulary") != "clickhouse"
    ),
    Case(
        "configuration: failures are reported by property, and credentials are secret",
        "",
        (
            check_config(
                {"baseUrl": "http://example.com", "keyId": UNKNOWN, "keySecret": "s", "pollIntervalSeconds": "0"},
                failures=["baseUrl", "pollIntervalSeconds"],
                inputs={"keyId": UNKNOWN, "organizationId": None},
                secrets=["keySecret"],
            ),
        ),
        server=None,
        differs=frozenset({CONFIGURATION}),
    ),
    Case(
        "Service: state of another class",
        "Service",
        (
            has({"name": "orders"}, __provider="gASV", __registration={"urn": "urn:pulumi:x"}),
            diff({"name": "orders"}, changes=False, details={}),
            preview_update({"name": "orders"}, outputs={"__provider": None, "__registration": None}),
        ),
        server=None,
        differs=frozenset({CLASS, PREVIEWS}),
    ),
]
