"""Webhooks: receivers of the notifications of alerts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar

from pulumi_clouddb.schema.base import Answer, Compare, FilledText, Prose, Text, identity, prop
from pulumi_clouddb.schema.check.rules import API, PAGE, SERVER, Rule, rule
from pulumi_clouddb.schema.check.wording import doubted
from pulumi_clouddb.schema.choice import OpenChoice
from pulumi_clouddb.schema.equality import trimmed
from pulumi_clouddb.schema.javascript import in_units, is_reserved, web_host
from pulumi_clouddb.schema.observability import OnStack
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answered, asked
from pulumi_clouddb.schema.vendor import with_variables, without
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

LONGEST_URL = 2048

_UNSEEN = "No server returns it, so a change by somebody else is not detected. If removed, it is cleared."


class WebhookService(OpenChoice):
    """Receivers of notifications."""

    SLACK = "slack", "an incoming webhook of Slack"
    GENERIC = "generic", "any HTTP server"
    INCIDENTIO = "incidentio", "an alert source of incident.io"


MOST = 100
"""The largest number of headers, and of query parameters, of one webhook."""

HEADER = re.compile(r"(?!\d)[!#$%&'*+\-.0-9A-Z^_`a-z|~]{1,256}")
PARAMETER = re.compile(r"[^\x00-\x1f\x7f]{1,1024}")
VALUE = re.compile(r"[^\x00-\x1f\x7f]{0,4096}")


def _host(webhook: Webhook) -> str | None:
    """Return the host that receives notifications; None if the address has none."""
    try:
        return web_host(webhook.url or "", only_web=True)
    except ValueError:
        return None


def _templated(field: Callable[[Webhook], object]) -> Rule[Webhook]:
    return rule(
        field,
        "is for the services generic and incidentio only",
        lambda webhook: webhook.service == "slack",
        given=field,
        source=API("WebhookInput"),
    )


def _few(field: Callable[[Webhook], Mapping[str, object] | None], names: re.Pattern[str], form: str) -> Rule[Webhook]:
    def test(webhook: Webhook) -> bool:
        given = field(webhook) or {}
        values = [in_units(value) for value in given.values() if isinstance(value, str)]
        fits = all(map(names.fullmatch, map(in_units, given))) and all(map(VALUE.fullmatch, values))
        return len(given) > MOST or not fits

    text = f"are at most {MOST}, with names of {form} and values of at most 4096 characters, none a control character"
    return rule(field, text, test, source=SERVER("api/src/utils/zod.ts"))


_VALIDATORS = "api/src/utils/validators.ts"
_UNDELIVERED = "The server accepts it, and cannot deliver its notifications."
_A_WEBHOOK = doubted(
    "should be the address of a webhook, such as https://hooks.slack.com/services/…, and not that of a page",
    without(
        r"(?i)^https?://((?!hooks\.)([\w-]+\.)*slack\.com/(?!api/)|teams\.(microsoft|live)\.com/|app\.incident\.io/"
        r"|([\w-]+\.)?discord(app)?\.(com/(channels|invite)/|gg/)|(?!(events|api)\.)[\w.-]+\.pagerduty\.com/)"
    ),
    then=_UNDELIVERED,
)
_A_BODY = with_variables(
    "title body link state startTime endTime eventId startTimeISO endTimeISO alertId status alertType comparator "
    "threshold thresholdMax value groupKey sourceQuery teamId note"
)
"""Servers up to 2.36 have the first seven (docs/alert-webhook-template-variables.md of HyperDX)."""

_LIKE_JSON = re.compile(r'\s*(\{(?!\{)|\[\s*[{"\]])')
_COMMENT = re.compile(r"\{\{~?!(--.*?--|[^{}]*)~?\}\}", re.DOTALL)
_BLOCK = re.compile(r"\{\{~?\s*([#^/&>]|else\b)")
_VARIABLE = re.compile(r"\{(\{\{[^{}]*\}\}|\{[^{}]*\})\}")
_TEXTS = ("title", "body", "link", "state", "eventId")
"""The variables whose values are JSON only between quotes; the others may be numbers (generic.ts of HyperDX 2.36.0)."""


def _json(body: str) -> str:
    """Return a body that begins like JSON and is none, with values for its variables, as an empty text."""
    if not _LIKE_JSON.match(body) or _BLOCK.search(body):
        return body
    with_values = _VARIABLE.sub(lambda found: "x" if found[1].strip("{~ }") in _TEXTS else "0", _COMMENT.sub("", body))
    try:
        json.loads(with_values)
    except (ValueError, RecursionError):
        return ""
    return body


_AS_JSON = doubted(
    "should be JSON, since it begins like it: with names and texts in double quotes, each bracket closed, and no comma "
    "after the last value",
    _json,
    then=_UNDELIVERED,
)
_SENT_AS_IT_IS = doubted(
    "should be the value alone, without its name, and without variables, which only body has",
    without(r"(?i)\$\{|\$\(|\{\{|<[a-z][\w -]*>|\A(authorization|x-api-key|content-type):|\A(bearer\s+){2}"),
    then=_UNDELIVERED,
)
_CREDENTIALS = doubted(
    "should have USER:PASSWORD in Base64 after Basic", without(r"(?i)\Abasic\s+\S*:"), then=_UNDELIVERED
)
_PARTICULAR = re.compile(
    r"https://(([\w-]+\.)?discord(app)?\.com/\w+/webhooks/\d+/[^/?]+/?(\?|\Z)|events\.(\w+\.)?pagerduty\.com/v2/)"
)


class Webhook(OnStack):
    """A webhook (OpenAPI: `WebhookInput`, `ClickStackWebhookInput`, `Webhook`, `ClickStackWebhook`)."""

    RULES: ClassVar[tuple[Rule[Webhook], ...]] = (
        rule(
            lambda webhook: webhook.url,
            "must be an address with http or https",
            lambda webhook: _host(webhook) is None,
            given=lambda webhook: webhook.url,
            source=SERVER(_VALIDATORS),
        ),
        rule(
            lambda webhook: webhook.url,
            "must be an address of slack.com if service is slack",
            lambda webhook: (
                webhook.service == "slack" and not f".{_host(webhook) or 'slack.com'}".endswith(".slack.com")
            ),
            source=SERVER(_VALIDATORS),
        ),
        _templated(lambda webhook: webhook.body),
        _templated(lambda webhook: webhook.headers),
        _templated(lambda webhook: webhook.query_params),
        _few(
            lambda webhook: webhook.headers,
            HEADER,
            "at most 256 letters, digits and !#$%&'*+-.^_`|~ that begin with no digit",
        ),
        _few(lambda webhook: webhook.query_params, PARAMETER, "1 to 1024 characters"),
        rule(
            lambda webhook: webhook.url,
            "must not be a private or reserved address in the managed form: the cloud does not send to these",
            lambda webhook: is_reserved(_host(webhook) or ""),
            given=lambda webhook: webhook.service_id,
            source=SERVER(_VALIDATORS),  # self-hosted servers can have a list of allowed addresses
        ),
        rule(
            lambda webhook: webhook.service,
            "should be slack for an address of hooks.slack.com, unless body is what that reads",
            lambda webhook: (
                webhook.service == "generic" and webhook.body is None and _host(webhook) == "hooks.slack.com"
            ),
            warns=True,
            then=_UNDELIVERED,
            source=SERVER("api/src/tasks/checkAlerts/transports/generic.ts"),
        ),
        rule(
            lambda webhook: webhook.body,
            "should be JSON with content or embeds for Discord, and with routing_key for PagerDuty",
            lambda webhook: (
                _PARTICULAR.match(webhook.url or "")
                and not re.search('"(content|embeds|routing_key)"', webhook.body or "")
            ),
            warns=True,
            then=_UNDELIVERED,
            only=CLICKHOUSE,
            source=PAGE("https://discord.com/developers/docs/resources/webhook"),
        ),
    )

    id: Text | None = answered("Id of the webhook.")
    name: FilledText | None = prop(
        "Name of the webhook; the server refuses a second webhook with the same name and service.",
        required=True,
        max_length=1024,
        compare=Compare(trimmed),
    )
    service: WebhookService | None = prop(
        "Receiver of the notifications.",
        required=True,
        answer=Answer("Receiver of the notifications; the cloud also has `slack_api` and `pagerduty_api`."),
    )
    url: Annotated[FilledText, _A_WEBHOOK, _SENT_AS_IT_IS] | None = prop(
        "Address of the receiver. Servers refuse private and loopback addresses that are not on their allow-list, "
        "and a new `url` or `service` also clears headers and query parameters that the program does not set. "
        "Secret, since anybody who knows an address of Slack can post there.",
        required=True,
        max_length=LONGEST_URL,
        secret=True,
        compare=Compare(evidence=identity),
        answer=Answer("Address of the receiver."),
    )
    description: Prose | None = prop("Description.", taken_out="it is cleared", max_length=2048)
    body: Annotated[Prose, _A_BODY, _AS_JSON] | None = prop(
        "Template of the request's body. If removed, it is cleared. Servers do not return that of `incidentio`. "
        "Secret, since it contains the keys of some services.",
        max_length=16384,
        secret=True,
        compare=Compare(evidence=identity),
        answer=Answer("Template of the request's body."),
    )
    headers: dict[str, Annotated[Text, _SENT_AS_IT_IS, _CREDENTIALS]] | None = asked(
        f"Headers of the request, such as credentials. {_UNSEEN}", secret=True, clears={}
    )
    query_params: dict[str, Annotated[Text, _SENT_AS_IT_IS]] | None = asked(
        f"Query parameters that are added to the URL. {_UNSEEN}", secret=True, clears={}
    )
    created_at: Text | None = answered("When it was created (ISO-8601).")
    updated_at: Text | None = answered("When it was last changed (ISO-8601).")


WEBHOOK = ResourceType(
    Webhook,
    "A receiver of the notifications of alerts.",
    required_outputs=("name", "service", "url"),
    state_inputs=("serviceId",),
    only=CLICKHOUSE,
)
