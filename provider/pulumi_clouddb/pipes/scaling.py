"""The scaling of an existing pipe: an override that is put back when it is destroyed."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Text, Uuid, Whole, prop, wire_names
from pulumi_clouddb.schema.choice import Choice
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import inputs_of, option, ours

from .parts import Scaling, ScalingFields


class OnScalingDelete(Choice):
    """What destroying a PipeScaling does."""

    RESTORE = "restore", "puts back the scaling that was found"
    RETAIN = "retain", "leaves it"


class PipeScaling(ScalingFields):
    """The scaling of a pipe (*Update pipe scaling*; null and absent mean "leave it")."""

    service_id: Uuid | None = option("Id of the service that owns the pipe.", required=True, replaces=True)
    pipe_id: Uuid | None = option("Id of the pipe.", required=True, replaces=True)
    on_delete: OnScalingDelete | None = option("What destroying does.", unset=OnScalingDelete.RESTORE)
    pipe_name: Text | None = ours("Name of the pipe.", api="name")
    pipe_state: Text | None = ours("State of the pipe in the server's words.", api="state")
    effective_scaling: Scaling | None = ours(
        "The whole scaling the server reports.", api="scaling", copies=wire_names(Scaling)
    )
    original_scaling: Scaling | None = ours(
        "The scaling found when this override was made.", copies=wire_names(Scaling)
    )


class ServerPipeScaling(PipeScaling):
    """A scaling within the limits of the vendor's own servers."""

    replicas: Whole | None = prop("Replicas of a stream pipe.", ge=1, le=40)


PIPE_SCALING = ResourceType(
    PipeScaling,
    "The scaling of an existing ingestion pipe. The scaling found is remembered, and put back on destroy.",
    wider=inputs_of(ServerPipeScaling),
    import_id="SERVICE_ID/PIPE_ID",
    required_outputs=("serviceId", "pipeId", "effectiveScaling", "originalScaling"),
)
