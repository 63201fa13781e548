"""Functions: they read through the same client and never write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from pulumi_clouddb.api.api import Api
from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.collections.dashboards import Dashboards
from pulumi_clouddb.api.collections.pipes import Pipes
from pulumi_clouddb.api.collections.services import Services
from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.api.errors import ListNotFoundError, NotFoundError, ResourceError
from pulumi_clouddb.models.alert import GET_ALERT, LIST_ALERTS, GetAlertArgs, ListAlertsArgs
from pulumi_clouddb.models.base import Model, Record, wire_names
from pulumi_clouddb.models.check import failures_of
from pulumi_clouddb.models.convert import construct, to_wire
from pulumi_clouddb.models.dashboard import GET_DASHBOARD, LIST_DASHBOARDS, GetDashboardArgs, ListDashboardsArgs
from pulumi_clouddb.models.pipe import GET_PIPE, LIST_PIPES, GetPipeArgs, ListPipesArgs
from pulumi_clouddb.models.resource_type import FunctionType
from pulumi_clouddb.models.service import GET_SERVICE, LIST_SERVICES, GetServiceArgs, ListServicesArgs
from pulumi_clouddb.models.source import LIST_SOURCES, ListSourcesArgs

from .session import Session
from .state import Flat

ArgumentsT = TypeVar("ArgumentsT", bound=Model)
RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class Function(Generic[ArgumentsT]):
    """One function: what it takes and answers, and how it finds the answer."""

    type: FunctionType
    answer: Callable[[Api, ArgumentsT], Mapping[str, Any]]

    def call(self, session: Session, arguments: Mapping[str, Any]) -> Flat:
        """Check the arguments and return the answer, both by wire name.

        Raises:
            ResourceError: Arguments are wrong, or the object does not exist.
            ApiError: It could not be read.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        failures = failures_of(self.type.inputs, given)
        if failures:
            raise ResourceError("; ".join(f"{self.type.name}: {failure.path} {failure.reason}" for failure in failures))
        try:
            return dict(self.answer(session.api, cast(ArgumentsT, construct(self.type.inputs, given))))
        except (NotFoundError, ListNotFoundError) as error:
            what = ", ".join(f"{name} {value}" for name, value in given.items())
            raise ResourceError(f"{self.type.name}: there is no such object ({what}): {error.message}") from None


def _get_service(api: Api, args: GetServiceArgs) -> Mapping[str, Any]:
    return to_wire(api.of(Services).get(args.service_id))


def _list_services(api: Api, args: ListServicesArgs) -> Mapping[str, Any]:
    return _listing(LIST_SERVICES, map(to_wire, _named(args.name, api.of(Services).list())))


def _get_pipe(api: Api, args: GetPipeArgs) -> Mapping[str, Any]:
    return to_wire(api.of(Pipes, args.service_id).get(args.pipe_id))


def _list_pipes(api: Api, args: ListPipesArgs) -> Mapping[str, Any]:
    return _listing(LIST_PIPES, map(to_wire, _named(args.name, api.of(Pipes, args.service_id).list())))


def _get_alert(api: Api, args: GetAlertArgs) -> Mapping[str, Any]:
    return to_wire(api.of(Alerts, args.service_id).get(args.alert_id), wire_names(GET_ALERT.result))


def _list_alerts(api: Api, args: ListAlertsArgs) -> Mapping[str, Any]:
    names = wire_names(GET_ALERT.result)
    return _listing(LIST_ALERTS, (to_wire(alert, names) for alert in api.of(Alerts, args.service_id).list()))


def _get_dashboard(api: Api, args: GetDashboardArgs) -> Mapping[str, Any]:
    return api.of(Dashboards, args.service_id).get(args.dashboard_id).answer


def _list_dashboards(api: Api, args: ListDashboardsArgs) -> Mapping[str, Any]:
    return _listing(LIST_DASHBOARDS, (each.answer for each in api.of(Dashboards, args.service_id).list()))


def _list_sources(api: Api, args: ListSourcesArgs) -> Mapping[str, Any]:
    return _listing(LIST_SOURCES, (each.answer for each in _named(args.name, api.of(Sources, args.service_id).list())))


def _named(name: str | None, records: Sequence[RecordT]) -> list[RecordT]:
    """Return the records of this name, or the one of this id; all where no name is given."""
    return [each for each in records if name is None or name in (each.answer.get("name"), each.answer.get("id"))]


def _listing(function: FunctionType, records: Iterable[Mapping[str, Any]]) -> Flat:
    """Return records in the one property of a function's answer."""
    (name,) = wire_names(function.result)
    return {name: list(records)}


FUNCTIONS: dict[str, Function[Any]] = {
    function.type.name: function
    for function in (
        Function(GET_SERVICE, _get_service),
        Function(LIST_SERVICES, _list_services),
        Function(GET_PIPE, _get_pipe),
        Function(LIST_PIPES, _list_pipes),
        Function(GET_ALERT, _get_alert),
        Function(LIST_ALERTS, _list_alerts),
        Function(GET_DASHBOARD, _get_dashboard),
        Function(LIST_DASHBOARDS, _list_dashboards),
        Function(LIST_SOURCES, _list_sources),
    )
}
"""What answers each function, by its Pulumi name."""
