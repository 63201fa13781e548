"""The fields of a pipe."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.schema.base import Answer, Compare, FilledText, Flag, Text, Uuid, prop
from pulumi_clouddb.schema.equality import as_set
from pulumi_clouddb.schema.names import property_name
from pulumi_clouddb.schema.provisioned import Provisioned
from pulumi_clouddb.schema.thing import answered, asked, hidden, option

from .credentials import PipeCredentials
from .parts import FieldMapping, PipeDestination, PipeSettings, PipeSize
from .sources import PipeSource, identity_of_source, same_source, without_empty

DATABASE = property_name(PipeDestination, lambda place: place.database)


class PipeFields(Provisioned):
    """The fields of a pipe, before the rules over several of them."""

    READY = "the pipe runs, or is deleted"
    UNREADY = "Why the pipe is not ready; absent once it is."

    id: Text | None = answered("Id (UUID) of the pipe.")
    service_id: Uuid | None = prop(
        "Id of the service that the pipe writes into.",
        required=True,
        replaces=True,
        provider_only=True,
        answer=Answer("Id (UUID) of the service that owns it."),
    )
    name: FilledText | None = prop("Name of the pipe.", required=True, max_length=255)
    state: Text | None = answered("State as the server names it; its values are not fixed.")
    scaling: PipeSize | None = prop("Scaling of the pipe.", compare=Compare(evidence=lambda _: None, open_objects=True))
    source: PipeSource | None = prop(
        "Source. A change that cannot be made in place needs `allowReplacement`.",
        required=True,
        compare=Compare(same_source, evidence=identity_of_source, open_objects=True),
        answer=Answer("Source."),
    )
    destination: PipeDestination | None = prop(
        "Destination. A change of anything but the columns needs `allowReplacement`.",
        required=True,
        compare=Compare(
            without_empty,
            evidence=lambda place: place.get(DATABASE) if isinstance(place, Mapping) else None,
            open_objects=True,
        ),
        answer=Answer("Destination."),
    )
    field_mappings: list[FieldMapping] | None = prop(
        "Fields of the source with their columns.", taken_out="they are cleared", compare=Compare(as_set)
    )
    settings: PipeSettings | None = prop(
        "Settings.",
        taken_out="they get the server's defaults",
        compare=Compare(evidence=lambda _: None, open_objects=True),
    )
    created_at: Text | None = answered("When it was created.")
    updated_at: Text | None = answered("When it was changed last.")
    credentials: PipeCredentials | None = asked(
        "Credentials for the source, which a new pipe needs if its authentication does. No server returns them, so an "
        "import lacks them, and a change by somebody else is not detected.",
        secret=True,
    )
    start_paused: Flag | None = asked(
        "Whether it is created in the state `Stopped`, so that it reads nothing before somebody starts it. With "
        "`stopped`, it stays so; without, anybody may start it. To start it by the program, set `stopped` to false, "
        "and remove this. Not for databases.",
        unset=False,
        taken_out="nothing changes: only a create reads it",
    )
    stopped: Flag | None = asked("Whether it is stopped; by default a new pipe runs.", later=True, unset=False)
    allow_replacement: Flag | None = option(
        "Whether a change that cannot be made in place may delete the pipe and create another, which reads from its "
        "start again. Otherwise the preview refuses such a change.",
        unset=False,
    )
    start_failed: Flag | None = hidden(
        "Whether the last request to start it failed.", "__startFailed", formerly="the request to start it failed: "
    )
