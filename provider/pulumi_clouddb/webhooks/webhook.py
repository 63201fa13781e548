"""Webhooks: where the notifications of alerts go."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Text, identity, prop
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, asked
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.schema.wording import Choice

from .rules import NOT_RESERVED, RULES

LONGEST_URL = 2048

_UNSEEN = "Servers never answer it, so a change that somebody else makes is not seen. Taken out again, it is cleared."


class WebhookService(Choice):
    """What receives the notifications."""

    SLACK = "slack", "an incoming webhook of Slack"
    GENERIC = "generic", "any HTTP server"
    INCIDENTIO = "incidentio", "an alert source of incident.io"


def _trimmed(name: object) -> object:
    """Return a name as servers keep it."""
    return name.strip() if isinstance(name, str) else name


class Webhook(OnStack):
    """A webhook (openapi: `WebhookInput`, `ClickStackWebhookInput`, `Webhook`, `ClickStackWebhook`)."""

    RULES = RULES
    OPTION_RULES = (NOT_RESERVED,)

    id: Text | None = answered("Id of the webhook.")
    name: FilledText | None = prop(
        "Name of the webhook; the server refuses a second one of the same name and service.",
        required=True,
        max_length=1024,
        compare=_trimmed,
    )
    service: WebhookService | None = prop(
        "What receives the notifications.",
        required=True,
        answer="What receives the notifications; the cloud has `slack_api` and `pagerduty_api`, too.",
    )
    url: FilledText | None = prop(
        "Where they are sent. Servers refuse private and loopback addresses, but those of an allow-list of their own. "
        "With another `url` or `service` they also clear headers and query parameters that no program says. Secret, as "
        "that of Slack is all that one needs to write there.",
        required=True,
        max_length=LONGEST_URL,
        secret=True,
        evidence=identity,
        answer="Where they are sent.",
    )
    description: Text | None = prop("Description for people.", taken_out="it is cleared", max_length=2048)
    body: Text | None = prop(
        "Template of the request's body. Taken out again, it is cleared. Servers do not answer that of `incidentio`. "
        "Secret, as the keys of some services stand in it.",
        max_length=16384,
        secret=True,
        evidence=identity,
        answer="Template of the request's body.",
    )
    headers: dict[str, Text] | None = asked(
        f"Headers of the request, such as credentials. {_UNSEEN}", secret=True, clears={}
    )
    query_params: dict[str, Text] | None = asked(
        f"Query parameters that are added to the URL. {_UNSEEN}", secret=True, clears={}
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was changed last (ISO-8601).")


WEBHOOK = ResourceType.of(
    Webhook,
    "Where the notifications of alerts go.",
    required_outputs=("name", "service", "url"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
    deleted_first_unless=("serviceId",),
)
