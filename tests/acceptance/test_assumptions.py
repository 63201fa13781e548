"""Every assumption has a probe, and holds on the sandbox."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from acceptance.assumptions import declared, probed, probes_by_name
from clouddb_tools.sandbox import Latency, Sandbox
from pulumi_clouddb.schema.assumptions import Server

pytestmark = pytest.mark.beyond_the_description
"""Probes send what the vendor's description does not have, too."""

NEEDS = {"invite": "Probe.Guest@example.com"}
QUIRKS = {"dashboards_are_listed_by_name", "update_deletes_alerts_of_other_kinds"}
"""What the sandbox does only with `quirks`."""

SERVERS: tuple[Server, ...] = ("observability",)


class Run:
    """The run of the tests."""

    tag = {"key": "acceptance", "value": "tests"}  # noqa: RUF012

    def name(self, text: str) -> str:
        """Return a name with the token of the run."""
        return f"{text} tests"


@dataclass(frozen=True)
class Account:
    """A sandbox as an account, without the proxy of a run; waits advance its clock."""

    kind: Server
    sandbox: Sandbox
    sleep: Callable[[float], None]
    run: Run = Run()  # noqa: RUF009

    @property
    def organization_id(self) -> str:
        """The organization."""
        return self.sandbox.organization_id

    def raw(self, method: str, path: str, json: Any = None) -> httpx.Response:
        """Send a request."""
        http = self.sandbox.management() if self.kind == "cloud" else self.sandbox.self_hosted()
        body = {} if json is None else {"json": json}
        with http:
            for _ in range(5):
                response = http.request(method, f"{self.sandbox.url}{path}", **body)
                if response.status_code != 429:
                    break
                self.sleep(61.0)
        return response


def account_of(sandbox: Sandbox, kind: Server) -> Account:
    """Return the account of a sandbox."""
    return Account(kind, sandbox, sandbox.advance)


def test_each_assumption_has_a_probe() -> None:
    """And each probe an assumption; the names are unique."""
    names = [each.name for each in declared()]
    assert sorted({name for name in names if names.count(name) > 1}) == []
    assert sorted({*names} ^ {*probes_by_name()}) == []


@pytest.mark.parametrize("kind", SERVERS)
def test_assumptions_hold_on_the_sandbox(kind: Server) -> None:
    """All are probed there."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(1, 1, 1, 1), rate_limit=True) as sandbox:
        rows = probed(account_of(sandbox, kind), NEEDS)
    assert {each.name: each.words for each in rows if each.words != "holds"} == {}


@pytest.mark.parametrize("kind", SERVERS)
def test_only_quirks_differ_without_quirks(kind: Server) -> None:
    """All other assumptions hold."""
    with Sandbox(vocabulary="clickhouse", latency=Latency(1, 1, 1, 1), rate_limit=True, quirks=False) as sandbox:
        rows = probed(account_of(sandbox, kind), NEEDS)
    assert {each.name for each in rows if each.words != "holds"} == QUIRKS
