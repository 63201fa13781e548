"""Links of a source to others: an override, as two sources that refer to each other cannot both be created first."""

from __future__ import annotations

from typing import ClassVar

from pulumi_clouddb.schema.base import Text, prop, wire_names
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.observability import OnStack, StackId
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import Thing, answered, inputs_of, option, ours
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE


class SourceLinkFields(Thing):
    """The links of a source."""

    ANSWER = "OriginalSourceLinks"

    log_source_id: StackId | None = prop("Id of the source of logs; for kinds trace and metric.")
    metric_source_id: StackId | None = prop("Id of the source of metrics; for kinds log and trace.")
    session_source_id: StackId | None = prop("Id of the source of sessions; for kind trace.")
    trace_source_id: StackId | None = prop("Id of the source of traces; for kinds log and session.")


LINKS = wire_names(inputs_of(SourceLinkFields))


def _none(links: SourceLinks) -> bool:
    return not any((links.log_source_id, links.metric_source_id, links.session_source_id, links.trace_source_id))


class SourceLinks(SourceLinkFields, OnStack):
    """The links of a source to other sources."""

    ANSWER = "SourceLinksResponse"
    RULES: ClassVar[tuple[Rule[SourceLinks], ...]] = (
        rule(lambda links: links.source_id, f"needs one of {', '.join(LINKS)} beside it", _none, source=OURS),
    )

    source_id: StackId | None = option("Id of the source that has the links.", required=True, replaces=True)
    kind: Text | None = answered("Kind of the source.")
    original: SourceLinkFields | None = ours("The links before.", copies=LINKS)


SOURCE_LINKS = ResourceType(
    SourceLinks,
    "The links of a source to other sources, for sources that refer to each other: create both without one of the "
    "links, and set it here. The links that this leaves out belong to the Source or to others; set each link in "
    "one place only. Removing a link, or destroying this, restores the link that the source had before, or clears it.",
    required_outputs=("original",),
    state_inputs=("serviceId",),
    import_id="SOURCE_ID",
    only=CLICKHOUSE,
)
