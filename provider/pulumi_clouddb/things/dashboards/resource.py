"""Dashboards: tiles keep their ids in updates, and values that the server adds are not drift."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import SERVICE_ID, CheckResult
from pulumi_clouddb.resource.functions import get_one, list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.resource.replaced import Update
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.additions import NONE
from pulumi_clouddb.schema.check.claims import Claim, Sets, places
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.defaults import without_defaults
from pulumi_clouddb.schema.matching import tile_key
from pulumi_clouddb.schema.values import UNKNOWN, WireDict, WireValues, objects
from pulumi_clouddb.schema.view import if_known, is_complete, known_or, view_of

from .api import TILE_IDS, Dashboards
from .columns import with_columns
from .dashboard import DASHBOARD, Dashboard
from .drift import CONTAINERS, TILES, as_program, drift, form_of, leaves_out_languages, shows_tiles, tiles_of
from .layout import with_places_of
from .packing import SERVER_FORM
from .places import placed
from .read_file import READ_DASHBOARD_EXPORT
from .tile import key_of
from .tile_ids import actual_of, known_ids
from .vendor import DIALECTS


class DashboardResource(ObservabilityResource[Dashboard]):
    """A dashboard of a managed or self-hosted server. Alerts are deleted with their tiles."""

    type = DASHBOARD
    collection = Dashboards
    dialects = DIALECTS
    functions = (
        get_one(DASHBOARD, Dashboards, whole=True),
        list_all(DASHBOARD, Dashboards, whole=True),
        READ_DASHBOARD_EXPORT,
    )

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs, with the places of all tiles, and all failures."""
        tiles = with_columns(inputs.get(TILES))
        if tiles is not inputs.get(TILES):
            inputs = {**inputs, TILES: tiles}
            session.warn_of_value(
                "Dashboard.tiles",
                "should have the columns of a tile in their own property.\n"
                "Write `columns` in place of `select`, which is a list of values.",
            )
        return super().check(session, placed(inputs), secret, old)

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server would refuse changed tiles; None if it would not, or if that is unknown.

        Of a new dashboard, warn: the check of an import has no old inputs, either, and its tiles exist.
        """
        refused = known_or(None, lambda: self.dialects.of(session).server_refusal(session, inputs, old))
        if refused and not old:
            session.warn(str(refused))
        return refused if old else None

    def preview_outputs(self, old: WireValues | None, new: WireValues) -> WireDict:
        """Return the outputs a preview can know; a tile that is known keeps its id."""
        outputs = super().preview_outputs(old, new)
        if old is not None and (ids := self._tile_ids(old, new)) is not None:
            outputs[TILE_IDS] = ids
        return outputs

    def _tile_ids(self, old: WireValues, new: WireValues) -> WireDict | None:
        """Return the ids of the tiles after an update by key, `UNKNOWN` for new ones; None if not all are known."""
        with if_known:
            tiles = view_of(Dashboard, new).tiles or []
            if is_complete(tiles):
                seen = self._seen(old)
                known = known_ids(seen.actual.tile_ids or {}, seen.wanted.tiles or [], tiles)
                return {key: known.get(key, UNKNOWN) for key in map(key_of, tiles)}
        return None

    def claims(self, rules: RuleContext, inputs: WireValues, object_id: str, before: WireValues) -> Iterator[Claim]:
        """Yield what the dashboard sets, and the ids of its tiles that stay, some with the reason to watch another."""
        yield from super().claims(rules, inputs, object_id, before)
        if before and object_id and (ids := self._tile_ids(before, inputs)) is not None:
            tiles = {tile_key(tile): tile for tile in objects(inputs.get(TILES))}
            problem = self.dialects.named(rules.vocabulary).problem_of_alerts
            elements = {id_: problem(tiles[key]) for key, id_ in ids.items() if id_ is not UNKNOWN}
            gone = {*(before.get(TILE_IDS) or {}).values()} - elements.keys() if len(elements) < len(ids) else None
            for place in places(self.type.name, inputs.get(SERVICE_ID, ""), object_id, TILE_IDS):
                yield Sets(place, elements, gone)

    def body_of_create(self, session: Session, wanted: Dashboard) -> WireDict:
        """Return the body of a POST; its response has the ids of the tiles."""
        return self.dialects.of(session).new_body(self.body(wanted), wanted)

    def body_of_update(self, session: Session, update: Update[Dashboard]) -> WireDict:
        """Return the body of a PUT, which replaces the whole dashboard; warn of what the server deletes with it."""
        dialect = self.dialects.of(session)
        body = dialect.body(self.body(update.wanted), update)
        dialect.warn_of_losses(session, update, body)
        return body

    def needs_repair(self, old: State[Dashboard]) -> tuple[str, ...]:
        """Return the tiles if an older version has sent their conditions without a language: alerts on them fail."""
        return (TILES,) if leaves_out_languages(old.wanted) and not old.actual.languages_sent else ()

    def warn_of_object(self, session: Session, state: State[Dashboard], *, stored: bool) -> None:
        """Explain the update of a dashboard whose program has not changed."""
        if stored and self.needs_repair(state):
            session.warn(
                f"Dashboard {state.wanted.name!r} is updated once, since an earlier version of this package has sent "
                "conditions of its tiles without their language.\nRun `pulumi up`: until then, alerts on these tiles "
                "fail."
            )

    def state_of(self, session: Session, wanted: Dashboard, record: Dashboard, object_id: str) -> State[Dashboard]:
        """Return the state with the server's form of the dashboard: drift is what differs from it."""
        if not shows_tiles(record):
            record = self.objects(session, wanted).find(object_id, max_age=0.0) or record
        form = form_of(record)
        wanted = self.dialects.of(session).without_dropped(session, wanted, form)
        actual = actual_of(wanted, form)
        if leaves_out_languages(wanted):
            actual.languages_sent = True
        return State(wanted, actual)

    def shown(self, actual: Dashboard, served: WireValues) -> WireValues:
        """Return the server's form, which state has instead of the response."""
        form: WireValues = served.get(SERVER_FORM) or {}
        return form

    def refreshed(self, state: State[Dashboard], record: Dashboard, object_id: str) -> State[Dashboard]:
        """Return the state with the changes since the last write, tile by tile.

        Another place is no change if the page shows the tile where it was (layout.py).
        """
        form = form_of(record)
        if shows_tiles(record):
            before = tiles_of(state.actual.server_form or {})
            form[TILES] = with_places_of(before, tiles_of(form), form.get(CONTAINERS))
        changed = drift(state, form)
        known = replace(state, added=dict.fromkeys(to_wire(changed), NONE))  # the server's form shows what is new
        wanted = self.reconciled(known, changed)
        actual = actual_of(wanted, form, changed)
        actual.imported, actual.languages_sent = state.actual.imported, state.actual.languages_sent
        return State(wanted, actual)

    def is_as_wanted(self, found: State[Dashboard], wanted: Dashboard) -> bool:
        """Return False: servers return the contents of tiles in another form."""
        return False

    def reported(self, record: Dashboard) -> WireDict:
        """Return the properties of an imported dashboard; each tile gets a key."""
        return as_program(record)

    def without_defaults(self, name: str, served: object) -> object:
        """Return a server's value of an input without its defaults: drift is what differs from the server's form."""
        return without_defaults(self.type.inputs, name, served)

    def import_(self, session: Session, object_id: str, hints: Dashboard) -> tuple[str, State[Dashboard]]:
        """Import a dashboard as it is; until its first update, state records that somebody else has made it."""
        dashboard_id, state = super().import_(session, object_id, hints)
        if self.dialects.of(session).warn_of_import(session):
            state.actual.imported = True
        return dashboard_id, state
