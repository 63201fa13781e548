"""readDashboardExport: the inputs of a Dashboard from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Api
from pulumi_clouddb.client.errors import ListNotFoundError, NotFoundError, ResourceError
from pulumi_clouddb.resource.functions import Function, named, not_one
from pulumi_clouddb.schema.base import FilledData, Flag, Model, Number, Record, Text, Uuid, prop, wire_name
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.observability import MANAGED_FORM
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.values import WireDict, WireValues, objects

from .files.dashboard import Converted, converted, read_file
from .files.losses import Severity
from .files.names import Kind, is_id
from .parts import DashboardContainer
from .server_names import names_on_server

NAME = "readDashboardExport"

_MAP = "by their name or id in the file. Names without an entry are looked up on the server."


class ReadDashboardExportArgs(Model):
    """Arguments of readDashboardExport."""

    text: FilledData = prop(
        "Text of the file: what *Export Dashboard* of the server's page writes, a file of its provisioner, or a "
        "dashboard as its API returns it.",
        required=True,
    )
    service_id: Uuid | None = prop(MANAGED_FORM)
    sources: dict[str, Text] | None = prop(f"Ids of data sources {_MAP}")
    connections: dict[str, Text] | None = prop(f"Ids of connections {_MAP}")
    dashboards: dict[str, Text] | None = prop(f"Ids of dashboards that clicks open, {_MAP}")
    skip_unsupported: Flag | None = prop(
        "Whether to leave out tiles and filters that would show other data than in the file, instead of failing.",
        unset=False,
    )


class UnsupportedPart(Record):
    """A part of a file that the API cannot express."""

    place: Text = prop("Where it is: the tile or filter, and the path in it.", required=True, provider_only=True)
    message: Text = prop("What is lost, in words.", required=True, provider_only=True)
    severity: Text = prop(
        "`warning`: it looks or behaves differently, and shows the same data. `error`: it would show other data, so "
        "the tile or filter is left out.",
        required=True,
        provider_only=True,
    )


class ExportedTile(Record):
    """A tile of a file, as an input of a Dashboard."""

    key: Text = prop("Its id in the file, or else its name.", required=True)
    name: Text = prop("Title of the tile.", required=True)
    x: Number | None = prop("Column of the left edge on the grid.")
    y: Number | None = prop("Row of the upper edge on the grid.")
    w: Number | None = prop("Width on the grid.")
    h: Number | None = prop("Height on the grid.")
    container_id: Text | None = prop("Container of the tile.")
    tab_id: Text | None = prop("Tab of the container.")
    config: object = prop("Contents of the tile, a `TileConfig`.", required=True)


class ExportedFilter(Record):
    """A filter of a file, as an input of a Dashboard."""

    type: Text = prop("Kind of filter.", required=True)
    name: Text = prop("Name of the filter.", required=True)
    expression: Text | None = prop("SQL expression of the values to choose from.")
    source_id: Text | None = prop("Id of the data source of the values.")
    options: list[Text] | None = prop("Values to choose from.")
    label: Text | None = prop("Label with the values to choose from.")
    match: Text | None = prop("Selector of the series that have the label.")
    source_metric_type: Text | None = prop("Kind of metric, for sources of metrics.")
    where: Text | None = prop("Condition on the rows of the values.")
    where_language: Text | None = prop("Language of the condition.")
    applies_to_source_ids: list[Text] | None = prop("Ids of the data sources whose tiles the value applies to.")
    is_broadcast_enabled: Flag | None = prop("Whether the value is a condition on tiles.")
    is_variable_enabled: Flag | None = prop("Whether the value is a variable in queries of tiles.")
    variable_name: Text | None = prop("Name of the variable.")


class ExportedFilterValue(Record):
    """A stored choice of filters in a file, as an input of a Dashboard."""

    type: Text = prop("Kind of value.", required=True)
    condition: Text | None = prop("The condition.")
    name: Text | None = prop("Name of the variable.")
    values: list[Text] | None = prop("The chosen values of the variable.")


class DashboardExport(Record):
    """Answer of readDashboardExport: the inputs of a Dashboard, and what is lost.

    Lists are empty if the file has none, and not absent: a YAML program fails at a property that a result lacks. No
    type here has an enum: a YAML program cannot assign an enum of a result even to the same enum of an input (pulumi
    3.x: "Cannot assign 'clouddb:index:QueryLanguage' to 'clouddb:index:QueryLanguage'").
    """

    name: Text = prop("Name of the dashboard.", required=True)
    tiles: list[ExportedTile] = prop("Tiles, in order.", required=True)
    tags: list[Text] = prop("Labels.", required=True)
    filters: list[ExportedFilter] = prop("Filters at the top.", required=True)
    containers: list[DashboardContainer] = prop("Groups of tiles.", required=True)
    saved_query: Text | None = prop("Query of the dashboard when it is opened.")
    saved_query_language: Text | None = prop("Language of the saved query.")
    saved_filter_values: list[ExportedFilterValue] = prop(
        "Conditions of the dashboard when it is opened.", required=True
    )
    unsupported: list[UnsupportedPart] = prop(
        "What the API cannot express, in the order of the file; each is also a warning of the preview.",
        required=True,
        provider_only=True,
    )


_EMPTY: WireValues = {
    **{wire: [] for wire, *_ in fields_of(DashboardExport)},
    **{wire_name(DashboardExport, name): None for name in ("saved_query", "saved_query_language")},
}
UNSUPPORTED = wire_name(DashboardExport, "unsupported")


class _Ids:
    """Finds ids by name: in the arguments, or else in the shared list of the server, or in a new one.

    A name has to be unique on the server, exactly or apart from its case. A new list is requested once for each kind.
    """

    def __init__(self, api: Api, args: ReadDashboardExportArgs) -> None:
        self.faults: dict[str, None] = {}
        self._api, self._service = api, args.service_id
        self._given = {
            Kind.SOURCE: args.sources or {},
            Kind.CONNECTION: args.connections or {},
            Kind.DASHBOARD: args.dashboards or {},
        }
        self._listed: dict[tuple[Kind, float], Mapping[str, str]] = {}

    def __call__(self, kind: Kind, name: str) -> object:
        """Return the id; None for an unknown dashboard, which only a click opens."""
        if name in self._given[kind]:
            return self._given[kind][name]
        if is_id(name):
            return name
        for max_age in (SHARED_LIST_SECONDS, 0.0):  # the shared list can be older than the object, or than its name
            known = self._names(kind, max_age)
            found = named(name, known, str)
            if len(found) == 1:
                return next(iter(found))
        if not found and kind is Kind.DASHBOARD:
            return None
        self.faults[f"{kind.value} {name!r}: {not_one(name, found, known.values())}"] = None
        return name

    def _names(self, kind: Kind, max_age: float) -> Mapping[str, str]:
        """Return the name of each object of the server, by id."""
        if (kind, max_age) not in self._listed:
            self._listed[kind, max_age] = names_on_server(self._api, self._service, kind, max_age=max_age)
        return self._listed[kind, max_age]


def _read(api: Api, args: ReadDashboardExportArgs) -> WireValues:
    """Return the inputs, and what is lost."""
    ids = _Ids(api, args)
    try:
        result = converted(read_file(args.text), ids)
    except (NotFoundError, ListNotFoundError) as error:  # of a list, whose message should not quote the file
        raise ResourceError(f"{NAME}: {error.message}", "Check serviceId, or give the ids as arguments.") from None
    what = f"{NAME}: dashboard {result.inputs['name']!r}"
    if ids.faults:
        raise ResourceError(
            f"{what}: {'; '.join(ids.faults)}",
            "Set the ids in the arguments sources and connections, by the names in the file.",
        )
    errors = [str(each) for each in result.losses if each.severity is Severity.ERROR]
    if errors and not args.skip_unsupported:
        raise ResourceError(
            f"{what}: parts would show other data than in the file: {'; '.join(errors)}",
            "Change them in the file, or set skipUnsupported to leave these tiles and filters out.",
        )
    return {**_EMPTY, **result.inputs, UNSUPPORTED: _shown(result)}


def _shown(result: Converted) -> list[WireDict]:
    return [{"place": each.place, "message": each.message, "severity": each.severity.value} for each in result.losses]


def _warnings(result: WireValues) -> Iterator[str]:
    for each in objects(result.get(UNSUPPORTED)):
        yield f"{NAME}: dashboard {result.get('name')!r}, {each['place']}: {each['message']}"


READ_DASHBOARD_EXPORT = Function(
    FunctionType(
        NAME,
        "Reads the file of a dashboard and returns the inputs of a `Dashboard`. Sources, connections and dashboards "
        "are found by their names. What the API cannot express is returned in `unsupported`.",
        ReadDashboardExportArgs,
        DashboardExport,
    ),
    _read,
    warnings=_warnings,
)
