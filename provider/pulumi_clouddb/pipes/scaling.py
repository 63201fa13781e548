"""The scaling of an existing pipe: an override that is put back when it is destroyed."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Model, NoRecord, Number, Record, Text, Uuid, Whole, prop, wire_names
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.wording import Choice

from .pipe import PipeScalingRecord


class ScalingBody(Model):
    """The body of *Update pipe scaling*; null and absent mean "leave it"."""

    replicas: Whole | None = prop("Replicas of a stream pipe.", ge=1, le=10)
    concurrency: Whole | None = prop("Concurrency of an object-storage pipe.", ge=0, le=34)
    replica_cpu_millicores: Whole | None = prop("CPU per replica of a stream pipe, in millicores.", ge=125, le=2000)
    replica_memory_gb: Number | None = prop("Memory per replica of a stream pipe, in GB.", ge=0.5, le=8)


class OnScalingDelete(Choice):
    """What destroying a PipeScaling does."""

    RESTORE = "restore", "puts back the scaling that was found"
    RETAIN = "retain", "leaves it"


class PipeScalingArgs(ScalingBody):
    """What a program may say about the scaling of a pipe."""

    service_id: Uuid | None = prop("Id of the service that owns the pipe.", required=True, replaces=True)
    pipe_id: Uuid | None = prop("Id of the pipe.", required=True, replaces=True)
    on_delete: OnScalingDelete | None = prop("What destroying does.", unset=OnScalingDelete.RESTORE, provider_only=True)


class ServerPipeScalingArgs(PipeScalingArgs):
    """A scaling within the limits of the vendor's own servers."""

    replicas: Whole | None = prop("Replicas of a stream pipe.", ge=1, le=40)


class PipeScalingOwn(Record):
    """What this provider adds to the state of a scaling: the pipe around it, and what to put back."""

    pipe_name: Text | None = prop("Name of the pipe.", api="name")
    pipe_state: Text | None = prop("State of the pipe in the server's words.", api="state")
    effective_scaling: PipeScalingRecord | None = prop(
        "The whole scaling the server reports.", api="scaling", copies=wire_names(ScalingBody)
    )
    original_scaling: PipeScalingRecord | None = prop(
        "The scaling found when this override was made.", copies=wire_names(ScalingBody)
    )


class PipeScalingState(PipeScalingOwn, PipeScalingArgs):
    """What Pulumi keeps of a scaling: the inputs, the pipe around it, and what to put back."""


PIPE_SCALING = ResourceType(
    name="PipeScaling",
    description=(
        "The scaling of an existing ingestion pipe. The scaling found is remembered, and put back on destroy."
    ),
    inputs=PipeScalingArgs,
    wider=ServerPipeScalingArgs,
    record=NoRecord,
    own=PipeScalingOwn,
    state=PipeScalingState,
    import_id="SERVICE_ID/PIPE_ID",
    required_outputs=("serviceId", "pipeId", "effectiveScaling", "originalScaling"),
)
