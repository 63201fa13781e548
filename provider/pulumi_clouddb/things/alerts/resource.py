"""Alerts: servers delete an alert together with its tile."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pulumi_clouddb.client.errors import NotFoundError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import SERVICE_ID, CheckResult
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.resource.replaced import Update
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.check.claims import Claim, needs
from pulumi_clouddb.schema.check.findings import Failure
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.values import WireDict, WireValues, objects
from pulumi_clouddb.schema.view import known_or, view_of
from pulumi_clouddb.things.dashboards.api import TILE_IDS, Dashboards

from .alert import ALERT, Alert
from .api import Alerts
from .failing import failed_check
from .parts import AlertSource
from .vendor import CHANNEL, CHANNELS, DIALECTS, TITLE

SOURCE = property_name(Alert, lambda alert: alert.source)
SAVED_SEARCH = property_name(Alert, lambda alert: alert.saved_search_id)
TILE_ID = property_name(Alert, lambda alert: alert.tile_id)
DASHBOARD_ID = property_name(Alert, lambda alert: alert.dashboard_id)
DASHBOARD = property_name(Alert, lambda alert: alert.dashboard)
CHART = property_name(Alert, lambda alert: alert.chart_config)
WATCHED = (SOURCE, SAVED_SEARCH, DASHBOARD_ID, TILE_ID, CHART)
"""The properties that name the watched object."""

_SIMPLIFY = "Remove that from the chart on the page (filters, having, orderBy, PromQL, more than 20 values)"

FOLLOWS = property_names(Alert, lambda alert: (alert.state, alert.updated_at, alert.execution_errors))
"""The outputs that every write changes."""

ALSO = {DASHBOARD_ID: DASHBOARD, CHANNEL: CHANNELS, CHANNELS: CHANNEL}
"""A property and the output that shows the same value; a write of the one changes the other."""


class AlertResource(ObservabilityResource[Alert]):
    """An alert of a managed or self-hosted server."""

    type = ALERT
    collection = Alerts
    dialects = DIALECTS
    functions = (get_one(ALERT, Alerts), list_all(ALERT, Alerts))

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs with the default of `source`, and all failures."""
        others = ((SAVED_SEARCH, AlertSource.SAVED_SEARCH), (CHART, AlertSource.INLINE))
        source = next((each for name, each in others if inputs.get(name) is not None), AlertSource.TILE)
        completed = inputs if inputs.get(SOURCE) is not None else {**inputs, SOURCE: source.value}
        return super().check(session, completed, secret, old)

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would delete an alert on this tile; None if it would not, or if that is unknown."""
        if old and old.get(TILE_ID) == inputs.get(TILE_ID):
            return None
        seen, dialect = view_of(Alert, inputs), self.dialects.of(session)
        return session.try_reading(lambda: known_or(None, lambda: dialect.previewed(session, seen)))

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the alert sets, and that its dashboard has the watched tile."""
        yield from super().claims(rules, inputs, object_id, before)
        yield from needs(
            Dashboards.model.__name__,
            inputs.get(SERVICE_ID, ""),
            inputs.get(DASHBOARD_ID),
            TILE_IDS,
            inputs.get(TILE_ID),
            relation="watches a tile of",
            consequence="an update of the dashboard deletes the alert",
            advice=f"Take the id of another tile from the output {TILE_IDS} of the dashboard",
        )

    def outputs_changed_by(self, old: State[Alert], changed: tuple[str, ...]) -> Iterable[str]:
        """Return the outputs that a write changes."""
        derived = TITLE if not {*WATCHED, *TITLE}.isdisjoint(changed) else ()
        return (*FOLLOWS, *(ALSO[name] for name in changed if name in ALSO), *derived)

    def create(self, session: Session, wanted: Alert) -> tuple[str, State[Alert]]:
        """Create the alert, unless the server would delete it.

        Raises:
            ResourceError: The tile is of a kind whose alerts the server deletes.
        """
        if lost := self.dialects.of(session).lost(session, wanted):
            raise lost
        return super().create(session, wanted)

    def update(self, session: Session, object_id: str, old: State[Alert], wanted: Alert) -> State[Alert]:
        """Replace the alert; if it was deleted with its tile, create it again on the current tile.

        Raises:
            ResourceError: The tile is of a kind whose alerts the server deletes.
        """
        if lost := self.dialects.of(session).lost(session, wanted):
            raise lost
        alert_id = _current_id(object_id, old)
        try:
            return self.send(session, alert_id, old, wanted)
        except NotFoundError:
            # One 404 is not enough to create a second alert: the first may still exist.
            if self.objects(session, wanted).find(alert_id, max_age=0.0) is not None:
                raise
        with session.creating(self.server_kind(to_wire(wanted))) as creating:
            created = self.create_once(creating, wanted)
            creating.hand_over(created.id)
        session.warn(
            f"Alert {alert_id} no longer existed: a server deletes it with its tile. It was created again, with the id "
            f"{created.id}."
        )
        return self.state_of(session, wanted, self.with_outputs_of(created.record, old.actual), created.id)

    def sent_body(self, body: WireDict) -> WireDict:
        """Return a body with `channel`, too: no description states that a server accepts `channels` alone."""
        channels = body.get(CHANNELS)
        return super().sent_body({CHANNEL: channels[0], **body} if channels else body)

    def body_of_update(self, session: Session, update: Update[Alert]) -> WireDict:
        """Return the body of a PUT: a title and tags that somebody set are kept, and derived ones follow the alert.

        Raises:
            ResourceError: The alert has a chart that the server does not return, so that an update would lose it.
        """
        current, wanted = update.current, update.wanted
        if current.source == AlertSource.INLINE and current.chart_config is None:
            raise ResourceError(
                f"{self.what(wanted)} has a chart that its server does not return: somebody has set on its page what "
                "the API cannot express. An update would lose it",
                f"{_SIMPLIFY}, or delete the alert there. Then run again.",
            )
        body = super().body_of_update(session, update)
        unmanaged = [name for name in TITLE if name in body and name not in to_wire(wanted)]
        if not unmanaged or self.same_watched(current, wanted):
            return body
        derived = self.dialects.of(session).derived(session, current, wanted.service_id)
        return {name: value for name, value in body.items() if name not in unmanaged or derived.get(name) != value}

    def same_watched(self, current: Alert, wanted: Alert) -> bool:
        """Return whether an alert on the server watches what the program names."""
        before, after = to_wire(current), to_wire(wanted)
        return all(self.same(name, before.get(name), after.get(name)) for name in WATCHED)

    def importable(
        self, session: Session, given: Alert, reported: WireValues, hints: Alert | None = None
    ) -> tuple[Alert, tuple[Failure, ...]]:
        """Return the inputs of an imported alert, without a title and tags that the server has derived.

        Raises:
            ResourceError: The alert has a chart that the server does not return.
        """
        alert = construct(Alert, reported)
        if alert.source == AlertSource.INLINE and alert.chart_config is None:
            raise ResourceError(
                f"{self.what(alert)} cannot be imported: its server does not return its chart, since somebody has set "
                "on its page what the API cannot express",
                f"{_SIMPLIFY}, or leave the alert out of the program.",
            )
        if any(reported.get(name) for name in TITLE):
            derived = self.dialects.of(session).derived(session, alert, given.service_id)
            reported = {name: value for name, value in reported.items() if derived.get(name) != value}
        return super().importable(session, given, reported, hints)

    def reported(self, record: Alert) -> WireDict:
        """Return the properties of an imported alert: `channel` or `channels`, not both."""
        reported = super().reported(record)
        omitted = CHANNEL if len(objects(reported.get(CHANNELS))) > 1 else CHANNELS
        return {name: value for name, value in reported.items() if name != omitted}

    def import_(self, session: Session, object_id: str, hints: Alert) -> tuple[str, State[Alert]]:
        """Import an alert; warn if the next update of its dashboard deletes it."""
        alert_id, state = super().import_(session, object_id, hints)
        if lost := self.dialects.of(session).lost(session, state.wanted):
            session.warn(str(lost))
        return alert_id, state

    def warn_of_object(self, session: Session, state: State[Alert], *, stored: bool) -> None:
        """Warn if the last check of the alert failed: the server reports it nowhere else."""
        wanted, actual = state.wanted, state.actual
        if not stored:
            self._warn_of_missing(session, wanted, actual)
        target = wanted.tile_id or actual.tile_id
        if target and not stored and actual.execution_errors:
            target = self._tile_name(session, wanted, target)
        watched = f" on tile {target!r}" if target else f" on saved search {wanted.saved_search_id or ''}".rstrip()
        watched = "" if wanted.source == AlertSource.INLINE else watched
        name = wanted.name or actual.name
        failed = failed_check(actual, f"Alert {name!r}{watched}" if name else f"The alert{watched}")
        if failed:
            since = " (as of the last refresh)" if stored else ""
            session.warn(f"{failed.text}{since}\n{failed.fix}", once=f"{actual.alert_id} {failed.when}")

    def _warn_of_missing(self, session: Session, wanted: Alert, actual: Alert) -> None:
        """Warn of inputs that the server does not return: it has not stored them, or cannot express them."""
        lost = [name for name in TITLE if to_wire(wanted).get(name) and name not in actual.answer]
        if lost:
            session.warn(
                f"The server has not stored {' and '.join(lost)} of {self.what(wanted)}: self-hosted servers up to "
                "2.36, and those of the cloud, have no such properties.\n"
                "Remove them from the program, or update the server."
            )
        if wanted.chart_config is not None and actual.source == AlertSource.INLINE and actual.chart_config is None:
            session.warn(
                f"The server does not return the chart of {self.what(wanted)}: somebody has set on its page what the "
                f"API cannot express. No change of it is detected, and updates of the alert are refused.\n{_SIMPLIFY}, "
                "or delete the alert there."
            )

    def _tile_name(self, session: Session, wanted: Alert, tile_id: str) -> str:
        """Return the name of a tile, or its id if its dashboard cannot be read."""
        boards = session.api.of(Dashboards, wanted.service_id)
        board = session.try_reading(lambda: boards.find(wanted.dashboard_id or ""))
        tiles = board.tiles or () if board else ()
        return next((tile.name for tile in tiles if tile.id == tile_id and tile.name), tile_id)

    def read(self, session: Session, object_id: str, state: State[Alert]) -> State[Alert] | None:
        """Read the alert by its current id."""
        return super().read(session, _current_id(object_id, state), state)

    def delete(self, session: Session, object_id: str, state: State[Alert]) -> None:
        """Delete the alert by its current id."""
        super().delete(session, _current_id(object_id, state), state)

    def state_of(self, session: Session, wanted: Alert, record: Alert, object_id: str) -> State[Alert]:
        """Return the state after a write or an import, with the current id."""
        return State(wanted, record.model_copy(update={"alert_id": object_id}))

    def shown(self, actual: Alert, served: WireValues) -> WireValues:
        """Return the inputs in a response without the chart, which servers omit if the API cannot express it."""
        return {name: value for name, value in served.items() if name != CHART}

    def refreshed(self, state: State[Alert], record: Alert, object_id: str) -> State[Alert]:
        """Return the state after a read, with the current id."""
        return super().refreshed(state, record.model_copy(update={"alert_id": object_id}), object_id)

    def name_of(self, wanted: Alert) -> str:
        """Return the name of the alert, or its title or tile if it has no name."""
        return wanted.name or wanted.display_name or str(wanted.tile_id)

    def what(self, wanted: Alert) -> str:
        """Return the alert in words."""
        if name := wanted.name or wanted.display_name:
            return f"alert {name!r}"
        return f"alert on tile {wanted.tile_id}" if wanted.tile_id else "alert"


def _current_id(object_id: str, state: State[Alert]) -> str:
    """Return the id of the alert on the server, which changes when the alert is created again."""
    return state.actual.alert_id or object_id
