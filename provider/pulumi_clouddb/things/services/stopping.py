"""`stopped` of a service: which states it means, and what is refused before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.names import NAME, property_name
from pulumi_clouddb.schema.values import WireValues, contains_unknown

from .api import Services
from .enums import AT_REST, FAILED, PENDING, STOPS
from .service import Service
from .settings import VALUES

IS_STOPPED = property_name(Service, lambda it: it.stopped)


def stopped_in(state: str | None) -> bool | None:
    """Return whether a service in this state counts as stopped; None if the state does not show it."""
    if state is None or state in PENDING | FAILED:
        return None
    return state in AT_REST


def refusal_of_change(session: Session, inputs: WireValues, old: WireValues) -> ResourceError | None:
    """Return why a stopped service cannot change like this, or cannot be stopped; None if it can."""
    if old.get(IS_STOPPED) is not True:
        return _refusal_of_stop(session, old) if inputs.get(IS_STOPPED) is True else None
    if inputs.get(IS_STOPPED, True) is not True:  # it is started first
        return None
    changes = _changed_values(inputs, old)
    if not changes:
        return None
    _, service = _listed(session, old)
    if service is not None and not stopped_in(service.state):  # the last run failed before it could stop it
        return None
    return ResourceError(
        f"{', '.join(changes)} cannot change while service {old.get(NAME)!r} is stopped",
        f"Set {IS_STOPPED} to false to start it for this change, or leave {VALUES} as it is.",
    )


def _listed(session: Session, old: WireValues) -> tuple[Mapping[str, Service], Service | None]:
    """Return all services, and the one with the name in the old inputs; None if it is not known, or ambiguous."""
    services = session.api.of(Services)
    listed = session.try_reading(services.records) or {}
    named = [each for each in listed.values() if each.name == old.get(NAME) and services.exists(each)]
    return listed, named[0] if len(named) == 1 else None


def _changed_values(inputs: WireValues, old: WireValues) -> list[str]:
    """Return the settings of the engine that change, each with its new value, if that is known."""
    before, after = old.get(VALUES) or {}, inputs.get(VALUES) or {}
    if not isinstance(before, dict) or not isinstance(after, dict):
        return []
    known = [name for name in {*before, *after} if not contains_unknown(after.get(name))]
    changed = sorted(name for name in known if before.get(name) != after.get(name))
    return [f"{VALUES}.{name} (to {repr(after[name]) if name in after else 'its default'})" for name in changed]


def _refusal_of_stop(session: Session, old: WireValues) -> ResourceError | None:
    """Return why the service cannot be stopped: others of its warehouse run. None also if that is not known."""
    listed, service = _listed(session, old)
    if service is None or not service.is_primary:
        return None
    running = [
        f"{each.name!r} ({each_id})"
        for each_id, each in listed.items()
        if each is not service and each.data_warehouse_id == service.data_warehouse_id and each.state not in STOPS
    ]
    if not running:
        return None
    return ResourceError(
        f"service {service.name!r} cannot be stopped: it is the primary service of a warehouse, of which others run: "
        f"{', '.join(running)}",
        f"Stop the others first, with a `pulumi up` of its own, and set {IS_STOPPED} here after that.",
    )
