"""Alerts: they live and die with their tile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pulumi_clouddb.api.errors import Gone, NotOffered
from pulumi_clouddb.api.operations import stack_operation
from pulumi_clouddb.models.alert import ALERT, AlertResponse

from .base import Live, ResourceHandler, State, parse
from .creation import CreateRequest, create_once
from .session import Session
from .stack import find, located, stack_collection


class AlertHandler(ResourceHandler):
    """An alert of a managed or self-hosted stack."""

    type = ALERT

    def create(self, session: Session, inputs: State) -> tuple[str, State]:
        """Create the alert."""
        made_id, record, whole = self._post(session, inputs)
        state = self._state(inputs, made_id, record)
        if not whole and self.changed(self.live(state, _server(record)).state, inputs):
            state = self._put(session, made_id, state, inputs)
        return made_id, state

    def imported(self, session: Session, object_id: str, hints: Mapping[str, Any]) -> tuple[str, Live]:
        """Take over an alert as it is; the id of a managed one is `serviceId/ID`."""
        service_id, alert_id = located(object_id, hints)
        record = find(session, "alert", service_id, alert_id)
        if record is None:
            raise self.missing(object_id)
        given = {"serviceId": service_id} if service_id else {}
        inputs = self.importable(session, given, _server(record))
        return alert_id, Live(self._state(inputs, alert_id, record), inputs)

    def affected(self, old: Mapping[str, Any], changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Name what a write changes by itself; the alert and its team stay."""
        return ("state", "updatedAt", *(["dashboard"] if "dashboardId" in changed else []))

    def read(self, session: Session, object_id: str, state: State) -> Live | None:
        """Find the alert in the shared list."""
        alert_id = state.get("alertId") or object_id
        try:
            record = find(session, "alert", state.get("serviceId"), alert_id)
        except NotOffered:
            return self.unreadable(session, state, "an alert")
        if record is None:
            return None
        return self.live(state, _server(record), alertId=alert_id)

    def update(self, session: Session, object_id: str, old: State, new: State) -> State:
        """Replace the alert; one that went with its tile is created again on the tile it has now."""
        alert_id = old.get("alertId") or object_id
        service_id = new.get("serviceId")
        try:
            return self._put(session, alert_id, old, new)
        except Gone:
            # The response to one PUT is not enough to make a second alert: the first may live.
            if find(session, "alert", service_id, alert_id, max_age=0.0) is not None:
                raise
        session.warn(f"Alert {alert_id} was gone, as happens when its tile is made anew; it is created again.")
        with session.creating() as creating:
            alert_id, record, _ = self._post(creating, new)
            creating.hand_over(alert_id)
        return self._updated(old, new, alert_id, record)

    def delete(self, session: Session, object_id: str, state: State) -> None:
        """Delete the alert; gone with its tile is done."""
        service_id = state.get("serviceId")
        alert_id = state.get("alertId") or object_id
        try:
            session.client.call(stack_operation("delete_alert", service_id), service_id=service_id, alert_id=alert_id)
        except Gone:
            session.reads.drop(stack_collection("list_alerts", service_id))
            if find(session, "alert", service_id, alert_id, max_age=0.0) is not None:
                raise
        finally:
            session.reads.drop(stack_collection("list_alerts", service_id))

    def _put(self, session: Session, alert_id: str, old: State, new: State) -> State:
        """Replace the alert.

        Raises:
            Gone: The server does not find it.
        """
        service_id = new.get("serviceId")
        try:
            record = session.client.call(
                stack_operation("update_alert", service_id), self.body(new), service_id=service_id, alert_id=alert_id
            )
        finally:
            session.reads.drop(stack_collection("list_alerts", service_id))
        return self._updated(old, new, alert_id, record)

    def _updated(self, old: State, new: State, alert_id: str, record: Mapping[str, Any]) -> State:
        own = {name: old.get(name) for name in self.type.output_only}
        return self._state(new, alert_id, {**own, **record})

    def _post(self, session: Session, inputs: State) -> tuple[str, State, bool]:
        """Create the alert; return its id, its record, and whether the record is the answer to this request."""
        service_id, name = inputs.get("serviceId"), inputs.get("name")
        request = CreateRequest(
            what=f"alert {name!r}" if name else f"alert on tile {inputs.get('tileId')}",
            name=name or str(inputs.get("tileId")),
            operation=stack_operation("create_alert", service_id),
            body=self.body(inputs),
            collection=stack_collection("list_alerts", service_id),
            shown=_server,
            meaning=_evidence,
            shared_look=True,
        )
        created = create_once(session, request)
        return created.id, created.record, created.result is not None

    def _state(self, inputs: State, alert_id: str, record: Mapping[str, Any]) -> State:
        return self.state(inputs, _server(record), alertId=alert_id)


def _evidence(name: str, value: Any) -> Any:
    """Return what of a property tells this alert from others; servers add to the channel by themselves."""
    if name == "channel" and isinstance(value, Mapping):
        return {key: value.get(key) for key in ("type", "webhookId")}
    return value


def _server(record: Mapping[str, Any]) -> State:
    """Return the record with the dashboard under its name in requests, too."""
    server = parse(AlertResponse, record)
    if "dashboard" in server:
        server["dashboardId"] = server["dashboard"]
    return server
