"""Webhooks, unique by service and name. Responses contain neither headers nor query parameters.

They follow the vendor's observability server 2.36.0 (routers/external-api/v2/webhooks.ts, controllers/webhook.ts).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from pulumi_clouddb.schema.base import Text, prop
from pulumi_clouddb.schema.javascript import in_units, is_reserved, web_host
from pulumi_clouddb.things.alerts.api import Alerts
from pulumi_clouddb.things.webhooks.api import Webhooks
from pulumi_clouddb.things.webhooks.webhook import HEADER, LONGEST_URL, MOST, PARAMETER, VALUE, Webhook, WebhookService

from .bodies import body_with
from .responses import Bare, HTTPError, bad_request, conflict
from .served import ServedWithPredefined
from .state import Call, SandboxState
from .store import Document
from .zod import checked, refuse, trimmed

CALM = "65f5e4a3b9e77c001a567890"
LOUD = "65f5e4a3b9e77c001a567891"

_SECRETS = ("headers", "queryParams")
_DESTINATION = ("service", "url")


_BODY = body_with(Webhook, url=(Text | None, prop("Address.", required=True, max_length=LONGEST_URL)))


class ServedWebhooks(ServedWithPredefined):
    """The webhooks of an observability server."""

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields."""
        body = _well_formed(call.body)
        if call.operation.method == "PUT":  # it must exist before its address is resolved
            self.get(state, call)
        _refuse_address(body)
        return body

    def validate(self, state: SandboxState, call: Call) -> Bare:
        """Validate the body of a create without storing it; its name may be taken."""
        try:
            _refuse_address(_well_formed(call.body))
        except HTTPError as refusal:
            text = refusal.text.removeprefix("Body validation failed: ")
            path, separator, message = text.partition(": ")
            named = separator and " " not in path
            errors = [{"path": path if named else "", "message": message if named else text}]
            return Bare({"valid": False, "errors": errors})
        return Bare({"valid": True, "errors": []})

    def update(self, state: SandboxState, call: Call) -> Document:
        """Replace a webhook. Secrets that the body omits are kept, unless service or URL changes."""
        self.validated_first(call, lambda: self.fields(state, call))
        old = self.get(state, call)
        document = super().update(state, call)
        if all(old[name] == document[name] for name in _DESTINATION):
            document = {**{name: old[name] for name in _SECRETS if name in old}, **document}
        document = {name: value for name, value in document.items() if name not in _SECRETS or value}
        state.store.put(self.kind, self.key(state, self.parent(state, call), document["id"]), document)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete a webhook, unless it is the first channel of an alert."""
        id_ = self.get(state, call)["id"]
        channels = [alert["channel"] for alert in state.store.all(Alerts.plural(), self.parent(state, call))]
        used = sum(bool(channel) and channel.get("webhookId") == id_ for channel in channels)
        if used:
            text = f"Cannot delete webhook: {used} alert(s) still reference it."
            raise conflict(f"{text} Reassign or remove those alerts first.")
        super().delete(state, call)

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the webhook without its secrets; only a generic webhook shows its body."""
        hidden = _SECRETS if document["service"] == WebhookService.GENERIC else (*_SECRETS, "body")
        return {name: value for name, value in document.items() if name not in hidden}


def _well_formed(given: Any) -> Document:
    """Return a body that has the right form, or refuse it."""
    body = checked(_BODY, trimmed(given))
    refuse([*_url_errors(body["url"]), *_pair_errors(body), *_slack_errors(body)])
    return body


def _refuse_address(body: Document) -> None:
    """Refuse an address that servers do not call."""
    host = web_host(body["url"])
    if urlsplit(body["url"].strip()).scheme not in ("http", "https"):
        raise bad_request("Webhook URL must use HTTP or HTTPS")
    if body["service"] == WebhookService.SLACK and not f".{host}".endswith(".slack.com"):
        raise bad_request(f"Slack Webhook URL {body['url']} does not have hostname that ends in 'slack.com'")
    if is_reserved(host):
        raise bad_request("Webhook URL resolves to a private or reserved address.")


def _url_errors(url: str) -> Iterator[str]:
    try:
        web_host(url)
    except ValueError:
        yield "url: Invalid url"


def _pair_errors(body: Document) -> Iterator[str]:
    """Yield the errors about headers and query parameters."""
    for name, names in (("headers", HEADER), ("queryParams", PARAMETER)):
        pairs = body.get(name) or {}
        for key, value in pairs.items():
            if not names.fullmatch(in_units(key)) or not VALUE.fullmatch(in_units(value)):
                yield f"{name}.{key}: Invalid"
        if len(pairs) > MOST:
            yield f"{name}: A webhook cannot have more than {MOST}"


def _slack_errors(body: Document) -> Iterator[str]:
    if body["service"] == WebhookService.SLACK:
        yield from (
            f"{name}: {name} is not supported for the slack webhook service"
            for name in (*_SECRETS, "body")
            if name in body
        )


SERVED = ServedWebhooks(Webhooks, name="Webhook", service="generic", url="https://example.com/")


def add_predefined(state: SandboxState, stack: str) -> None:
    """Add two predefined webhooks, which alerts can name by id."""
    usual = {"service": "generic", "url": "https://events.example.com/"}
    SERVED.add_predefined(state, stack, {CALM: {"name": "Calm", **usual}, LOUD: {"name": "Loud", **usual}})
