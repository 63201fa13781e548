"""Webhooks: where the notifications of alerts go."""

from __future__ import annotations

from typing import Any, ClassVar

from pulumi_clouddb.schema.base import FilledText, Model, NoRecord, Record, Text, identity, prop
from pulumi_clouddb.schema.observability import ListArgs, ObservabilityArgs
from pulumi_clouddb.schema.resource_type import FunctionType, ResourceType
from pulumi_clouddb.schema.rules import Rule
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


class WebhookBody(Model):
    """The body of *Create webhook* (openapi: `WebhookInput`, `ClickStackWebhookInput`)."""

    RULES = RULES

    name: FilledText | None = prop(
        "Name of the webhook; the server refuses a second one of the same name and service.",
        required=True,
        max_length=1024,
        compare=_trimmed,
    )
    service: WebhookService | None = prop("What receives the notifications.", required=True)
    url: FilledText | None = prop(
        "Where they are sent. Servers refuse private and loopback addresses, but those of an allow-list of their own. "
        "With another `url` or `service` they also clear headers and query parameters that no program says. Secret, as "
        "that of Slack is all that one needs to write there.",
        required=True,
        max_length=LONGEST_URL,
        secret=True,
        evidence=identity,
    )
    description: Text | None = prop("Description for people. Taken out again, it is cleared.", max_length=2048)
    body: Text | None = prop(
        "Template of the request's body. Taken out again, it is cleared. Servers do not answer that of `incidentio`. "
        "Secret, as the keys of some services stand in it.",
        max_length=16384,
        secret=True,
        evidence=identity,
    )
    headers: dict[str, Text] | None = prop(
        f"Headers of the request, such as credentials. {_UNSEEN}", secret=True, clears={}
    )
    query_params: dict[str, Text] | None = prop(
        f"Query parameters that are added to the URL. {_UNSEEN}", secret=True, clears={}
    )


class WebhookArgs(ObservabilityArgs, WebhookBody):
    """What a program may say about a webhook."""

    RULES: ClassVar[tuple[Rule[Any], ...]] = (*RULES, NOT_RESERVED)


class WebhookResponse(Record):
    """The webhook as the server answers it (openapi: `Webhook`, `ClickStackWebhook`)."""

    id: Text | None = prop("Id of the webhook.")
    name: Text | None = prop("Name of the webhook.")
    service: Text | None = prop("What receives the notifications; the cloud has `slack_api` and `pagerduty_api`, too.")
    url: Text | None = prop("Where they are sent.", secret=True)
    description: Text | None = prop("Description for people.")
    body: Text | None = prop("Template of the request's body.", secret=True)
    created_at: Text | None = prop("When it was created (ISO-8601).")
    updated_at: Text | None = prop("When it was changed last (ISO-8601).")


class WebhookState(WebhookArgs, WebhookResponse):
    """What Pulumi keeps of a webhook: the inputs as given, and what the server made of them."""


WEBHOOK = ResourceType(
    name="Webhook",
    description="Where the notifications of alerts go.",
    inputs=WebhookArgs,
    record=WebhookResponse,
    own=NoRecord,
    state=WebhookState,
    required_outputs=("name", "service", "url"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
    deleted_first_unless=("serviceId",),
)


class ListWebhooksArgs(ListArgs):
    """Arguments of listWebhooks."""

    name: Text | None = prop("Only webhooks of exactly this name, or the one of this id.")


class WebhookList(Record):
    """Answer of listWebhooks."""

    webhooks: list[WebhookResponse] = prop("The webhooks, in the server's order.", required=True)


LIST_WEBHOOKS = FunctionType("listWebhooks", "Lists the webhooks of a stack.", ListWebhooksArgs, WebhookList)
