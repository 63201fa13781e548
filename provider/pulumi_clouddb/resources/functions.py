"""Functions: they read through the same client and never write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_clouddb.api.errors import Gone, ListNotFound, ResourceError
from pulumi_clouddb.api.operations import OPERATIONS, stack_operation
from pulumi_clouddb.models.alert import GET_ALERT, LIST_ALERTS, AlertResponse
from pulumi_clouddb.models.base import Record
from pulumi_clouddb.models.check import failures_of
from pulumi_clouddb.models.dashboard import GET_DASHBOARD, LIST_DASHBOARDS
from pulumi_clouddb.models.pipe import GET_PIPE, LIST_PIPES, PipeResponse
from pulumi_clouddb.models.resource_type import FunctionType
from pulumi_clouddb.models.service import GET_SERVICE, LIST_SERVICES, ServiceResponse
from pulumi_clouddb.models.source import LIST_SOURCES

from .base import State, parse
from .session import Session

Answer = Callable[[Session, Mapping[str, Any]], State]


@dataclass(frozen=True)
class Function:
    """One function: what it takes and answers, and how it finds the answer."""

    type: FunctionType
    answer: Answer

    def call(self, session: Session, arguments: Mapping[str, Any]) -> State:
        """Check the arguments and return the answer.

        Raises:
            ResourceError: Arguments are wrong, or the object does not exist.
            ApiError: It could not be read.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        failures = failures_of(self.type.inputs, given)
        if failures:
            raise ResourceError("; ".join(f"{self.type.name}: {failure.path} {failure.reason}" for failure in failures))
        try:
            return self.answer(session, given)
        except (Gone, ListNotFound) as error:
            what = ", ".join(f"{name} {value}" for name, value in given.items())
            raise ResourceError(f"{self.type.name}: there is no such object ({what}): {error.words}") from None


def _get_service(session: Session, arguments: Mapping[str, Any]) -> State:
    return parse(ServiceResponse, session.client.call(OPERATIONS["get_service"], service_id=arguments["serviceId"]))


def _list_services(session: Session, arguments: Mapping[str, Any]) -> State:
    records = session.client.call(OPERATIONS["list_services"])
    return {"services": _named(arguments, [parse(ServiceResponse, record) for record in records])}


def _get_pipe(session: Session, arguments: Mapping[str, Any]) -> State:
    where = {"service_id": arguments["serviceId"], "pipe_id": arguments["pipeId"]}
    return parse(PipeResponse, session.client.call(OPERATIONS["get_pipe"], None, **where))


def _list_pipes(session: Session, arguments: Mapping[str, Any]) -> State:
    records = session.client.call(OPERATIONS["list_pipes"], service_id=arguments["serviceId"])
    return {"pipes": _named(arguments, [parse(PipeResponse, record) for record in records])}


def _named(arguments: Mapping[str, Any], records: list[State]) -> list[State]:
    name = arguments.get("name")
    return [record for record in records if name is None or name in (record.get("name"), record.get("id"))]


def _get_from_stack(kind: str, model: type[Record] | None = None) -> Answer:
    def answer(session: Session, arguments: Mapping[str, Any]) -> State:
        service_id = arguments.get("serviceId")
        where = {"service_id": service_id, f"{kind}_id": arguments[f"{kind}Id"]}
        record = session.client.call(stack_operation(f"get_{kind}", service_id), None, **where)
        return parse(model, record) if model else record

    return answer


def _list_of_stack(kind: str, model: type[Record] | None = None) -> Answer:
    def answer(session: Session, arguments: Mapping[str, Any]) -> State:
        service_id = arguments.get("serviceId")
        records = session.client.call(stack_operation(f"list_{kind}", service_id), service_id=service_id)
        return {kind: _named(arguments, [parse(model, record) if model else record for record in records])}

    return answer


FUNCTIONS: dict[str, Function] = {
    function.type.name: function
    for function in (
        Function(GET_SERVICE, _get_service),
        Function(LIST_SERVICES, _list_services),
        Function(GET_PIPE, _get_pipe),
        Function(LIST_PIPES, _list_pipes),
        Function(GET_ALERT, _get_from_stack("alert", AlertResponse)),
        Function(LIST_ALERTS, _list_of_stack("alerts", AlertResponse)),
        Function(GET_DASHBOARD, _get_from_stack("dashboard")),
        Function(LIST_DASHBOARDS, _list_of_stack("dashboards")),
        Function(LIST_SOURCES, _list_of_stack("sources")),
    )
}
"""What answers each function, by its Pulumi name."""
