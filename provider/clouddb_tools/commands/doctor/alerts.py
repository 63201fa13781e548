"""Checks whether the alerts of the observability servers can fire."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.client.diagnosis import Exchange
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.secrets.redaction import redact
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.alerts.alert import Alert
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.alerts.failing import failed_check

from .finding import Finding, note, ok, warning
from .servers import Management
from .situation import Situation

MOST_SERVICES = 3
"""Maximum number of services whose alerts are read: each takes a request, and the server limits them."""


def check_alerts(situation: Situation) -> Iterator[Finding]:
    """Yield the alerts whose last check failed; only the vendor's servers report that."""
    if situation.config.vocabulary is not CLICKHOUSE:
        return
    for server in situation.servers:
        if not server.accepts:  # reported by other checks
            continue
        if not isinstance(server, Management):
            yield from _failing(server.exchanges.ask(Alerts.LIST.self_hosted), f"clouddb:{server.setting}")
            continue
        services = [str(each[ID]) for each in objects(server.services.result) if each.get(ID)]
        for service_id in services[:MOST_SERVICES]:
            listed = server.exchanges.ask(Alerts.LIST.managed, service_id=service_id)
            yield from _failing(listed, f"service {service_id}")
        if len(services) > MOST_SERVICES:
            unread = len(services) - MOST_SERVICES
            yield note("alerts-unread", f"the alerts of {unread} more services were not read; a refresh reads them")


def _failing(listed: Exchange, where: str) -> Iterator[Finding]:
    """Yield the failed checks of a list; none if a service has no such server, or the key has no permission."""
    alerts = [parse(Alert, each, CLICKHOUSE) for each in objects(listed.result)]
    checks = [failed_check(each, f"alert {each.name!r} ({each.id}) of {where}") for each in alerts]
    for failure in filter(None, checks):
        yield warning("failing-alert", redact(failure.text), failure.fix)
    if alerts and not any(checks):
        yield ok("alerts", f"no check of the {len(alerts)} alerts of {where} has failed")
