"""Alerts: they live and die with their tile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pulumi_clouddb.client.errors import NotFoundError, ResourceError
from pulumi_clouddb.create.create_request import CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.dashboards.api import Dashboards
from pulumi_clouddb.resource.base import CheckResult
from pulumi_clouddb.resource.functions import Function, listing
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.resource.state import Flat, State, merged
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.thing import record_of
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.schema.vendor import among
from pulumi_clouddb.schema.view import known_or, view_of

from .alert import ALERT, GET_ALERT, LIST_ALERTS, Alert
from .api import Alerts
from .fields import AlertSource, same_channel

SOURCE, SAVED_SEARCH = property_names(Alert, lambda args: (args.source, args.saved_search_id))
DASHBOARD_ID, TILE_ID, CHANNEL, CHANNELS = property_names(
    Alert, lambda args: (args.dashboard_id, args.tile_id, args.channel, args.channels)
)
DASHBOARD = property_name(Alert, lambda alert: alert.dashboard)
ALSO = {DASHBOARD_ID: DASHBOARD, CHANNEL: CHANNELS, CHANNELS: CHANNEL}
"""What the server tells twice, by the property that is sent."""

FOLLOWS = property_names(Alert, lambda alert: (alert.state, alert.updated_at, alert.execution_errors))
"""What a write changes by itself."""

AlertState = State[Alert, Alert]


class AlertResource(ObservabilityResource[Alert, Alert]):
    """An alert of a managed or self-hosted server."""

    type = ALERT
    collection = Alerts
    functions = (
        Function(GET_ALERT, lambda api, args: _shown(api.of(Alerts, args.service_id).get(args.alert_id))),
        Function(LIST_ALERTS, lambda api, args: listing(LIST_ALERTS, api.of(Alerts, args.service_id), shown=_shown)),
    )

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs with what is watched filled in."""
        source = AlertSource.TILE if inputs.get(SAVED_SEARCH) is None else AlertSource.SAVED_SEARCH
        given = {name: value for name, value in inputs.items() if value is not None}
        return super().check(session, {SOURCE: source.value, **given}, secret, old)

    def refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would delete the alert, if it is new on a known tile."""
        seen = view_of(Alert, inputs)
        is_new = not old or old.get(TILE_ID) != inputs.get(TILE_ID)
        return session.asked(lambda: known_or(None, lambda: _lost(session, seen))) if is_new else None

    def outputs_changed_by(self, old: AlertState, changed: tuple[str, ...]) -> Iterable[str]:  # noqa: ARG002
        """Return the outputs that any write changes."""
        return (*FOLLOWS, *(ALSO[name] for name in changed if name in ALSO))

    def create_once(self, session: Session, wanted: Alert) -> CreateResult[Alert]:
        """Create the alert, unless its tile would lose it.

        Raises:
            ResourceError: The tile is of a kind whose alerts the server deletes.
        """
        if lost := _lost(session, wanted):
            raise lost
        return super().create_once(session, wanted)

    def update(self, session: Session, object_id: str, old: AlertState, wanted: Alert) -> AlertState:
        """Replace the alert; one that went with its tile is created again on the tile it has now.

        Raises:
            ResourceError: The tile is of a kind whose alerts the server deletes.
        """
        if lost := _lost(session, wanted):
            raise lost
        alert_id = self.id_of(object_id, old)
        try:
            return self.replace(session, alert_id, old, wanted)
        except NotFoundError:
            # The response to one PUT is not enough to make a second alert: the first may live.
            if self.objects(session, wanted.service_id).find(alert_id, max_age=0.0) is not None:
                raise
        with session.creating() as creating:
            created = self.create_once(creating, wanted)
            creating.hand_over(created.id)
        session.warn(
            f"Alert {alert_id} was gone, as happens when its tile is created again. It was created again, with the id "
            f"{created.id}."
        )
        return State(wanted, self.with_id(merged(self.only_of_server(old.actual), created.record), created.id))

    def unsaid(self, held: Alert, old: Alert, wanted: Alert, *, takes_more: bool) -> WireDict:
        """Return the properties that the server has and the program does not manage; of channels, the unmanaged ones.

        A server that gets `channel` alone drops the others (tests/contract/cases_unsaid.py).
        """
        unsaid = super().unsaid(held, old, wanted, takes_more=takes_more)
        if not takes_more:
            return unsaid
        shown = to_wire(held)
        theirs = [each for each in shown.get(CHANNELS) or [shown.get(CHANNEL)] if each]
        others = {name: value for name, value in unsaid.items() if name not in (CHANNEL, CHANNELS)}
        if wanted.channels is not None:
            # The server refuses a channel that is not the first of them.
            return {**others, CHANNELS: [_with_more(each, theirs) for each in to_wire(wanted)[CHANNELS]]}
        if wanted.channel is not None:
            return {**others, **_beside(old, wanted, theirs)}
        return unsaid

    def reported(self, record: Alert) -> Flat:
        """Return the properties of an imported alert: `channel` or `channels`, not both."""
        reported = super().reported(record)
        several = len(reported.get(CHANNELS) or ()) > 1
        return {name: value for name, value in reported.items() if name != (CHANNEL if several else CHANNELS)}

    def import_(self, session: Session, object_id: str, hints: Alert) -> tuple[str, AlertState]:
        """Import an alert; warn if the next update of its dashboard deletes it."""
        alert_id, state = super().import_(session, object_id, hints)
        if lost := _lost(session, state.wanted):
            session.warn(str(lost))
        return alert_id, state

    def with_id(self, actual: Alert, object_id: str) -> Alert:
        """Return the alert with its id, which changes when the alert is created again."""
        return actual.model_copy(update={"alert_id": object_id})

    def id_of(self, object_id: str, state: AlertState) -> str:
        """Return the id that the alert has now."""
        return state.actual.alert_id or object_id

    def name_of(self, wanted: Alert) -> str:
        """Return the alert's name, or the tile of one that has none."""
        return wanted.name or str(wanted.tile_id)

    def what(self, wanted: Alert) -> str:
        """Return the alert in words."""
        return f"alert {wanted.name!r}" if wanted.name else f"alert on tile {wanted.tile_id}"


def _shown(alert: Alert) -> WireDict:
    """Return an alert as functions show it: with the dashboard under the name that servers give it."""
    return to_wire(alert, wire_names(record_of(Alert)))


def _lost(session: Session, wanted: Alert) -> ResourceError | None:
    """Return why an alert must not be made: the next update of its dashboard would delete it."""
    if not session.client.dialect.takes_more or wanted.source != AlertSource.TILE or not wanted.dashboard_id:
        return None
    lost = session.api.of(Dashboards, wanted.service_id).tile_losing_alerts(wanted.dashboard_id, wanted.tile_id)
    if lost is None:
        return None
    name, kind = lost
    alert = f"Alert {wanted.name!r}" if wanted.name else "An alert"
    return ResourceError(
        f"{alert} cannot be on tile {name!r} of dashboard {wanted.dashboard_id}: the server deletes the "
        f"alerts of a {kind} tile with the next update of the dashboard",
        f"Watch a tile of displayType {among(Dashboards.WITH_ALERTS)}.",
    )


def _with_more(channel: WireDict, theirs: Sequence[Mapping[str, object]]) -> WireDict:
    """Return a channel with the properties that only the server has."""
    known = next((each for each in theirs if same_channel(each) == same_channel(channel)), {})
    return {**{name: value for name, value in known.items() if value is not None}, **channel}


def _beside(old: Alert, wanted: Alert, theirs: Sequence[WireDict]) -> WireDict:
    """Return the managed channel, and beside it the channels that were never managed."""
    channel = _with_more(to_wire(wanted)[CHANNEL], theirs)
    ours = [same_channel(to_wire(each)[CHANNEL]) for each in (old, wanted) if each.channel is not None]
    others = [each for each in theirs if same_channel(each) not in ours] if old.channels is None else []
    return {CHANNEL: channel, **({CHANNELS: [channel, *others]} if others else {})}
