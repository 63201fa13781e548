"""Alerts: they live and die with their tile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.errors import NotFoundError, UnsupportedOperationError
from pulumi_clouddb.models.alert import ALERT, GET_ALERT, LIST_ALERTS, AlertArgs, AlertOwn, AlertRecord, AlertResponse
from pulumi_clouddb.models.base import wire_names
from pulumi_clouddb.models.convert import to_wire

from .base import Resource
from .creation import CreateRequest, CreateResult, create_once
from .functions import Function, listing
from .ids import located
from .session import Session
from .state import State, merged

AlertState = State[AlertArgs, AlertRecord, AlertOwn]


class AlertResource(Resource[AlertArgs, AlertRecord, AlertOwn]):
    """An alert of a managed or self-hosted server."""

    type = ALERT
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

    def outputs_changed_by(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return what a write changes by itself; the alert and its team stay."""
        return ("state", "updatedAt", *(["dashboard"] if "dashboardId" in changed else []))

    def create(self, session: Session, args: AlertArgs) -> tuple[str, AlertState]:
        """Create the alert."""
        created = self._create_once(session, args)
        state = self._state(args, created.id, created.record)
        if created.result is None and self.changes(self._as_served(state, created.record), args):
            state = self._replace(session, created.id, state, args)
        return created.id, state

    def read(self, session: Session, object_id: str, state: AlertState) -> AlertState | None:
        """Find the alert in the shared list."""
        alert_id = state.own.alert_id or object_id
        try:
            record = session.api.of(Alerts, state.args.service_id).find(alert_id)
        except UnsupportedOperationError:
            return self.keep_unread(session, state, "an alert")
        return self._as_served(self._state(state.args, alert_id, record), record) if record else None

    def update(self, session: Session, object_id: str, old: AlertState, args: AlertArgs) -> AlertState:
        """Replace the alert; one that went with its tile is created again on the tile it has now."""
        alert_id = old.own.alert_id or object_id
        try:
            return self._replace(session, alert_id, old, args)
        except NotFoundError:
            # The response to one PUT is not enough to make a second alert: the first may live.
            if session.api.of(Alerts, args.service_id).find(alert_id, max_age=0.0) is not None:
                raise
        session.warn(f"Alert {alert_id} was gone, as happens when its tile is made anew; it is created again.")
        with session.creating() as creating:
            created = self._create_once(creating, args)
            creating.hand_over(created.id)
        return self._updated(old, args, created.id, created.record)

    def delete(self, session: Session, object_id: str, state: AlertState) -> None:
        """Delete the alert; gone with its tile is done."""
        alerts = session.api.of(Alerts, state.args.service_id)
        alert_id = state.own.alert_id or object_id
        try:
            alerts.delete(alert_id)
        except NotFoundError:
            if alerts.find(alert_id, max_age=0.0) is not None:
                raise

    def import_(self, session: Session, object_id: str, hints: AlertArgs) -> tuple[str, AlertState]:
        """Take over an alert as it is; the id of a managed one is `serviceId/ID`."""
        service_id, alert_id = located(object_id, hints.service_id)
        record = session.api.of(Alerts, service_id).find(alert_id)
        if record is None:
            raise self.missing(object_id)
        given = AlertArgs.model_construct(service_id=service_id)
        return alert_id, self._state(self.importable(session, given, to_wire(record)), alert_id, record)

    def _create_once(self, session: Session, args: AlertArgs) -> CreateResult[AlertRecord]:
        request = CreateRequest(
            what=f"alert {args.name!r}" if args.name else f"alert on tile {args.tile_id}",
            name=args.name or str(args.tile_id),
            resource=self.type,
            collection=session.api.of(Alerts, args.service_id),
            body=self.body(args),
            shared_look=True,
        )
        return create_once(session, request)

    def _replace(self, session: Session, alert_id: str, old: AlertState, args: AlertArgs) -> AlertState:
        """Replace the alert.

        Raises:
            NotFoundError: The server does not find it.
        """
        record = session.api.of(Alerts, args.service_id).replace(alert_id, self.body(args))
        return self._updated(old, args, alert_id, record)

    def _updated(self, old: AlertState, args: AlertArgs, alert_id: str, record: AlertRecord) -> AlertState:
        return self._state(args, alert_id, merged(self.kept_outputs(old), record))

    def _as_served(self, state: AlertState, record: AlertRecord) -> AlertState:
        return State(self.reconciled(state.args, record), record, state.own)

    def _state(self, args: AlertArgs, alert_id: str, record: AlertRecord) -> AlertState:
        return State(args, record, AlertOwn.model_construct(alert_id=alert_id))
