"""An ingestion pipe: its source, destination, scaling and state."""

from __future__ import annotations

from typing import ClassVar, Final

from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .fields import PipeFields
from .rules import RULES


class Status:
    """The states that begin or end something; servers may report others."""

    PROVISIONING: Final = "Provisioning"
    RUNNING: Final = "Running"
    STOPPING: Final = "Stopping"
    STOPPED: Final = "Stopped"
    PAUSED: Final = "Paused"
    FAILED: Final = "Failed"
    COMPLETED: Final = "Completed"


FAILED: Final = frozenset({Status.FAILED, "InternalError"})
STOPS: Final = frozenset({Status.STOPPING, "Pausing"})
STOPPED: Final = frozenset({Status.STOPPED, Status.PAUSED}) | STOPS
RUNNING: Final = frozenset({Status.RUNNING, "Degraded", "Snapshot", "Resync", Status.COMPLETED})
PENDING: Final = frozenset({Status.PROVISIONING, "Setup", "Modifying"})
STILL: Final = frozenset({Status.STOPPED, Status.PAUSED, Status.COMPLETED}) | FAILED
"""The final states of a pipe that is being stopped."""


class Pipe(PipeFields):
    """An ingestion pipe of a service."""

    RULES: ClassVar[tuple[Rule[Pipe], ...]] = RULES


AT_ONCE = wire_names(body_of(Pipe))
"""The properties that a create accepts."""

PIPE = ResourceType(
    Pipe,
    "An ingestion pipe: it loads a stream (Kafka, Kinesis, Pub/Sub), files of a bucket (S3, GCS, Azure) or a database "
    "(Postgres, MySQL, MongoDB, BigQuery) into a service. A create waits until it runs; an update changes it in place "
    "where the API allows it, and starts it again if it failed.",
    required_outputs=("serviceId", "name", "source", "destination"),
    import_id="SERVICE_ID/PIPE_ID",
    only=CLICKHOUSE,
)
