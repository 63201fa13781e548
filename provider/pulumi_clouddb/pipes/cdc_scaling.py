"""The scaling that all pipes of databases of a service share: an override that is put back when it is destroyed."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Number, Uuid, Whole, prop, wire_names
from pulumi_clouddb.schema.config import WAIT_MINUTES
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.rules import Rule, RuleContext
from pulumi_clouddb.schema.thing import Thing, option, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

GB_PER_CORE, MILLICORES = 4, 1000


class CdcScalingFields(Thing):
    """What can be scaled (openapi: `ClickPipesCdcScalingPatchRequest`)."""

    ANSWER = "OriginalCdcScaling"

    replica_cpu_millicores: Whole | None = prop(
        "CPU of the pipes of databases, in millicores.", required=True, ge=1000, le=32000, multiple_of=MILLICORES
    )
    replica_memory_gb: Number | None = prop(
        "Memory of the pipes of databases, in GiB.", required=True, ge=4, le=128, multiple_of=GB_PER_CORE
    )


def _memory(scaling: CdcScalingFields, _: RuleContext) -> bool:
    cpu, memory = scaling.replica_cpu_millicores, scaling.replica_memory_gb
    return cpu is not None and memory is not None and memory * MILLICORES != cpu * GB_PER_CORE


class PipeCdcScaling(CdcScalingFields):
    """The scaling of the pipes of databases (openapi: `ClickPipesCdcScaling`)."""

    RULES = (Rule(lambda scaling: scaling.replica_memory_gb, _memory, f"must be {GB_PER_CORE} GiB for each core"),)
    ANSWER = "PipeCdcScalingResponse"

    service_id: Uuid | None = option("Id of the service that owns the pipes.", required=True, replaces=True)
    wait_timeout_minutes: Number | None = option(
        "Minutes to wait until the server reports the new scaling; zero does not wait.", unset=WAIT_MINUTES, ge=0
    )
    original: CdcScalingFields | None = ours("The scaling before.", copies=wire_names(CdcScalingFields))


PIPE_CDC_SCALING = ResourceType(
    PipeCdcScaling,
    "The scaling that all pipes of databases of a service share, for the initial load and for changes. It is there "
    "once such a pipe was provisioned: let it depend on one. The scaling found is remembered, and put back on destroy.",
    required_outputs=("original",),
    import_id="SERVICE_ID",
    only=CLICKHOUSE,
)
