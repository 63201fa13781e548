"""Alerts: they live and die with their tile."""

from __future__ import annotations

from collections.abc import Iterable

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.errors import NotFoundError
from pulumi_clouddb.models.alert import ALERT, GET_ALERT, LIST_ALERTS, AlertArgs, AlertOwn, AlertRecord, AlertResponse
from pulumi_clouddb.models.base import wire_name, wire_names
from pulumi_clouddb.models.convert import to_wire

from .functions import Function, listing
from .observability import ObservabilityResource
from .session import Session
from .state import State, merged

AlertState = State[AlertArgs, AlertRecord, AlertOwn]

DASHBOARD_ID = wire_name(AlertArgs, "dashboard_id")


class AlertResource(ObservabilityResource[AlertArgs, AlertRecord, AlertOwn]):
    """An alert of a managed or self-hosted server."""

    type = ALERT
    collection = Alerts
    functions = (
        Function(
            GET_ALERT,
            lambda api, args: to_wire(api.of(Alerts, args.service_id).get(args.alert_id), wire_names(AlertResponse)),
        ),
        Function(
            LIST_ALERTS,
            lambda api, args: listing(
                LIST_ALERTS,
                (to_wire(each, wire_names(AlertResponse)) for each in api.of(Alerts, args.service_id).list()),
            ),
        ),
    )

    def outputs_changed_by(self, old: AlertState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what a write changes by itself; the alert and its team stay."""
        return ("state", "updatedAt", *(["dashboard"] if DASHBOARD_ID in changed else []))

    def update(self, session: Session, object_id: str, old: AlertState, args: AlertArgs) -> AlertState:
        """Replace the alert; one that went with its tile is created again on the tile it has now."""
        alert_id = self.id_of(object_id, old)
        try:
            return self.replace(session, alert_id, old, args)
        except NotFoundError:
            # The response to one PUT is not enough to make a second alert: the first may live.
            if self.objects(session, args.service_id).find(alert_id, max_age=0.0) is not None:
                raise
        session.warn(f"Alert {alert_id} was gone, as happens when its tile is created again; so is the alert.")
        with session.creating() as creating:
            created = self.create_once(creating, args)
            creating.hand_over(created.id)
        return State(args, merged(self.kept_outputs(old), created.record), self.own(created.id))

    def own(self, object_id: str) -> AlertOwn:
        """Return the alert's id, which changes when the alert is created again."""
        return AlertOwn.model_construct(alert_id=object_id)

    def id_of(self, object_id: str, state: AlertState) -> str:
        """Return the id that the alert has now."""
        return state.own.alert_id or object_id

    def name_of(self, args: AlertArgs) -> str:
        """Return the alert's name, or the tile of one that has none."""
        return args.name or str(args.tile_id)

    def what(self, args: AlertArgs) -> str:
        """Return the alert in words."""
        return f"alert {args.name!r}" if args.name else f"alert on tile {args.tile_id}"
