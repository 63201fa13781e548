"""Ingestion pipes of a service."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Collection
from pulumi_clouddb.client.errors import NotFoundError, ResourceError
from pulumi_clouddb.client.operation import SERVICE, management, of_vendor
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.convert import construct, parse, to_wire
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues

from .changes import CREDENTIALS, SOURCE
from .credentials import with_credentials
from .discovery import PipeSchema, PipeServiceContext
from .parts import Scaling, ScalingFields, measured
from .pipe import Pipe
from .scaling import PipeCdcScaling, PipeScaling

PATH = SERVICE + "/pipes"
ONE = PATH + "/{pipeId}"
CDC_SCALING = SERVICE + "/clickpipesCdcScaling"


class Command(str, Enum):
    """Commands for a pipe (`command` of *Update ClickPipe state*)."""

    START = "start"
    STOP = "stop"


class Pipes(Collection[Pipe]):
    """The pipes of one service."""

    model = Pipe
    id_part = "pipe_id"

    LIST = management("list_pipes", "GET", PATH, "Pipe", "list the pipes")
    CREATE = of_vendor("create_pipe", "POST", PATH, "Pipe", "create the pipe")
    GET = management("get_pipe", "GET", ONE, "Pipe", "read the pipe", documented=True)
    UPDATE = of_vendor("update_pipe", "PATCH", ONE, "Pipe", "update the pipe")
    SCALE = management("scale_pipe", "PATCH", ONE + "/scaling", "Pipe", "scale the pipe", documented=True)
    COMMAND = of_vendor("command_pipe", "PATCH", ONE + "/state", "Pipe", "change the state of the pipe")
    GET_SETTINGS = of_vendor("get_pipe_settings", "GET", ONE + "/settings", "Settings", "read the settings of the pipe")
    SET_SETTINGS = of_vendor("set_pipe_settings", "PUT", ONE + "/settings", "Settings", "set the settings of the pipe")
    DISCOVER = of_vendor("discover_pipe_schema", "POST", PATH + "/schemaDiscovery", "PipeSchema", "infer the schema")
    GET_CONTEXT = of_vendor(
        "get_pipe_context", "GET", PATH + "/context", "PipeContext", "read the context of the pipes"
    )
    DELETE = of_vendor("delete_pipe", "DELETE", ONE, "None", "delete the pipe")

    def create(self, body: WireValues, what: str) -> tuple[Pipe, WireValues]:
        """Create a pipe; a request has its credentials within the source. See `Collection.create`."""
        given = body.get(CREDENTIALS) or {}
        sent = {name: value for name, value in body.items() if name != CREDENTIALS}
        return super().create({**sent, SOURCE: with_credentials(body[SOURCE], given)}, what)

    def scale(self, pipe_id: str, scaling: ScalingFields) -> Pipe:
        """Change the scaling in the fields that are set; the others stay."""
        return self.patch(self.SCALE, pipe_id, to_wire(scaling, wire_names(ScalingFields)))

    def update(self, pipe_id: str, body: WireValues) -> Pipe:
        """Send an update; of table mappings it names those to add and those to remove."""
        return self.patch(self.UPDATE, pipe_id, body)

    def command(self, pipe_id: str, command: Command) -> Pipe:
        """Start or stop a pipe."""
        return self.patch(self.COMMAND, pipe_id, {"command": command.value})

    def context(self) -> PipeServiceContext:
        """Return what the pipes of the service are for others."""
        return parse(PipeServiceContext, self.call(self.GET_CONTEXT))

    def discover(self, source: WireValues) -> PipeSchema:
        """Infer the schema of a source, without creating a pipe."""
        schema: PipeSchema = parse(PipeSchema, self.call(self.DISCOVER, body={"source": source}))
        return schema


class PipeScalings(Collection[PipeScaling]):
    """The scalings of the pipes of one service; the id of each is `serviceId/pipeId`."""

    def object_key(self, object_id: str) -> tuple[str, ...]:
        """Return what identifies the pipe."""
        return self.api.of(Pipes, self.parent).object_key(of_pipe(object_id)[1])

    def get(self, object_id: str) -> PipeScaling:
        """Read the pipe of a scaling."""
        return _scaling_of(self.api.of(Pipes, self.parent).get(of_pipe(object_id)[1]))

    def find(self, object_id: str, *, max_age: float = SHARED_LIST_SECONDS) -> PipeScaling | None:
        """Read the pipe: a documented operation, which all servers have.

        No list confirms that a pipe is gone, so one 404 is not enough: the original scaling would be lost.
        """
        for _ in range(2):
            with suppress(NotFoundError):
                return self.get(object_id)
        return None

    def change(self, object_id: str, body: WireValues) -> PipeScaling:
        """Scale the pipe."""
        pipes = self.api.of(Pipes, self.parent)
        return _scaling_of(pipes.scale(of_pipe(object_id)[1], construct(ScalingFields, body)))


def _scaling_of(pipe: Pipe) -> PipeScaling:
    scaling = PipeScaling.model_construct(
        pipe_name=pipe.name,
        pipe_state=pipe.state,
        effective_scaling=measured(pipe.scaling or Scaling.model_construct()),
    )
    scaling.keep_answer(pipe.answer)
    return scaling


class PipeCdcScalings(Collection[PipeCdcScaling]):
    """The scaling of the database pipes of one service: one that has the id of the service, or none."""

    model = PipeCdcScaling
    body = body_of(PipeCdcScaling)
    id_part = "service_id"

    LIST = of_vendor("get_pipe_cdc_scaling", "GET", CDC_SCALING, "PipeCdcScaling", "read the scaling of database pipes")
    GET = LIST
    UPDATE = of_vendor(
        "update_pipe_cdc_scaling", "PATCH", CDC_SCALING, "PipeCdcScaling", "change the scaling of database pipes"
    )

    def list(self) -> dict[str, PipeCdcScaling]:
        """Request the scaling, which a service without database pipes does not have."""
        try:
            return {str(self.parent): self.get(str(self.parent))}
        except NotFoundError:
            return {}

    def id_of(self, record: PipeCdcScaling) -> str:
        """Return the id of the service: the record has none."""
        return str(self.parent)


def of_pipe(object_id: str, kind: str = "PipeScaling") -> tuple[str, str]:
    """Return the service and the pipe in `serviceId/pipeId`, the id of a PipeScaling or of a Pipe to import.

    Raises:
        ResourceError: The id has another form.
    """
    service_id, slash, pipe_id = object_id.partition("/")
    if not slash or not service_id or not pipe_id or "/" in pipe_id:
        raise ResourceError(f"{object_id!r} is not the id of a {kind}", "Write SERVICE_ID/PIPE_ID.")
    return service_id, pipe_id
