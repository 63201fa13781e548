"""The scaling of an existing pipe, and that of all database pipes of a service: overrides of existing values."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Minutes, Number, Text, Uuid, Whole, prop, wire_names
from pulumi_clouddb.schema.check.rules import API, OURS, Rule, rule
from pulumi_clouddb.schema.choice import ClosedChoice
from pulumi_clouddb.schema.provisioned import minutes_to_wait
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, inputs_of, option, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .parts import Scaling, ScalingFields

GB_PER_CORE, MILLICORES = 4, 1000


class OnScalingDelete(ClosedChoice, because="it is an option of this provider"):
    """What destroying a PipeScaling does."""

    RESTORE = "restore", "restores the original scaling"
    RETAIN = "retain", "keeps the current scaling"


class PipeScaling(ScalingFields):
    """The scaling of a pipe (*Update pipe scaling*)."""

    RULES: ClassVar[tuple[Rule[PipeScaling], ...]] = (
        rule(
            lambda scaling: scaling.pipe_id,
            "should be the id of the pipe, and not that of its service",
            lambda scaling: scaling.pipe_id == scaling.service_id,
            given=lambda scaling: scaling.pipe_id,
            warns=True,
            only=CLICKHOUSE,
            source=OURS,
        ),
        rule(
            lambda scaling: scaling.replicas,
            "or another size should be given: without one, nothing is scaled",
            lambda scaling: all(getattr(scaling, name) is None for name in ScalingFields.model_fields),
            warns=True,
            only=CLICKHOUSE,
            source=OURS,
        ),
    )

    service_id: Uuid | None = option("Id of the service that owns the pipe.", required=True, replaces=True)
    pipe_id: Uuid | None = option("Id of the pipe.", required=True, replaces=True)
    on_delete: OnScalingDelete | None = option("What destroying does.", unset=OnScalingDelete.RESTORE)
    pipe_name: Text | None = ours("Name of the pipe.", api="name")
    pipe_state: Text | None = ours("State of the pipe as the server names it.", api="state")
    effective_scaling: Scaling | None = ours(
        "The whole scaling the server reports.", api="scaling", copies=wire_names(Scaling)
    )
    original_scaling: Scaling | None = ours("The scaling before this override.", copies=wire_names(Scaling))


class ServerPipeScaling(PipeScaling):
    """A scaling within the limits of the vendor's own servers."""

    replicas: Whole | None = prop("Replicas of a stream pipe.", ge=1, le=40, grows=True)


PIPE_SCALING = ResourceType(
    PipeScaling,
    "The scaling of an existing ingestion pipe. Destroying this restores the scaling that the pipe had before.",
    wider=inputs_of(ServerPipeScaling),
    import_id="SERVICE_ID/PIPE_ID",
    required_outputs=("serviceId", "pipeId", "effectiveScaling", "originalScaling"),
)


class CdcScalingFields(Thing):
    """The fields that an update may change (OpenAPI: `ClickPipesCdcScalingPatchRequest`)."""

    ANSWER = "OriginalCdcScaling"

    replica_cpu_millicores: Whole | None = prop(
        "CPU of the database pipes, in millicores.",
        required=True,
        ge=1000,
        le=32000,
        multiple_of=MILLICORES,
        grows=True,
    )
    replica_memory_gb: Number | None = prop(
        "Memory of the database pipes, in GiB.", required=True, ge=4, le=128, multiple_of=GB_PER_CORE, grows=True
    )


def _memory(scaling: CdcScalingFields) -> bool:
    cpu, memory = scaling.replica_cpu_millicores, scaling.replica_memory_gb
    return cpu is not None and memory is not None and memory * MILLICORES != cpu * GB_PER_CORE


class PipeCdcScaling(CdcScalingFields):
    """The scaling of the database pipes of a service (OpenAPI: `ClickPipesCdcScaling`)."""

    RULES: ClassVar[tuple[Rule[PipeCdcScaling], ...]] = (
        rule(
            lambda scaling: scaling.replica_memory_gb,
            f"must be {GB_PER_CORE} GiB for each core",
            _memory,
            source=API("ClickPipesCdcScalingPatchRequest.replicaMemoryGb"),
        ),
    )
    ANSWER = "PipeCdcScalingResponse"

    service_id: Uuid | None = option("Id of the service that owns the pipes.", required=True, replaces=True)
    wait_timeout_minutes: Minutes | None = minutes_to_wait("the server reports the new scaling")
    original: CdcScalingFields | None = ours("The scaling before.", copies=wire_names(CdcScalingFields))


PIPE_CDC_SCALING = ResourceType(
    PipeCdcScaling,
    "The scaling that all database pipes of a service share, for the initial load and for changes. It exists once "
    "such a pipe has been provisioned: make it depend on one. Destroying this restores the original "
    "scaling.",
    required_outputs=("original",),
    import_id="SERVICE_ID",
    only=CLICKHOUSE,
)
