"""Webhooks of an observability server."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

from pulumi_clouddb.client.errors import ClientError, ConflictError, ResourceError
from pulumi_clouddb.create.create_request import CreateResult
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.base import CheckResult
from pulumi_clouddb.resource.functions import list_all
from pulumi_clouddb.resource.observability import ObservabilityResource
from pulumi_clouddb.resource.replaced import Update
from pulumi_clouddb.resource.state import State
from pulumi_clouddb.schema.convert import construct
from pulumi_clouddb.schema.javascript import is_reserved, web_host
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.secrets.masking import secrets_of_body
from pulumi_clouddb.schema.secrets.redaction import Redactor
from pulumi_clouddb.schema.values import WireDict, WireValues, contains_unknown
from pulumi_clouddb.schema.view import if_known, view_of
from pulumi_clouddb.things.alerts.api import Alerts

from .api import Webhooks, webhook_name
from .webhook import WEBHOOK, Webhook, WebhookService

BODY = property_name(Webhook, lambda args: args.body)
NOT_OF_SLACK = property_names(Webhook, lambda args: (args.body, args.headers, args.query_params))


class WebhookResource(ObservabilityResource[Webhook]):
    """A webhook of a managed or self-hosted server."""

    type = WEBHOOK
    collection = Webhooks
    users = (("alert", Alerts),)
    functions = (list_all(WEBHOOK, Webhooks, by_name=True),)

    def check(
        self, session: Session, inputs: WireValues, secret: Collection[str] = (), old: WireValues | None = None
    ) -> CheckResult:
        """Return the inputs and all failures; warn of an address that servers reject by default."""
        seen = view_of(Webhook, inputs)
        with suppress(ValueError), if_known:
            if seen.service_id is None and seen.url is not None and is_reserved(web_host(seen.url, only_web=True)):
                session.warn_of_value(
                    "Webhook.url",
                    "is a private or reserved address: the server rejects it unless its setting "
                    "WEBHOOK_HOSTNAME_ALLOWLIST contains this host.",
                )
        return super().check(session, inputs, secret, old)

    def server_refusal(self, session: Session, inputs: WireValues, old: WireValues | None) -> ResourceError | None:
        """Return why the server refuses to store a new or changed webhook, if `clouddb:validateFirst` is set."""
        if not session.config.validate_first or contains_unknown(inputs) or (old and not self.changed(old, inputs)):
            return None
        wanted = construct(Webhook, inputs)
        body = self.body(wanted)
        faults = session.try_reading(lambda: session.api.of(Webhooks, wanted.service_id).faults(body))
        if not faults:
            return None
        words = "; ".join(f"{path}: {message}" if path else message for path, message in faults)
        words = Redactor(secrets_of_body(body))(words)
        return ResourceError(f"{self.what(wanted)}: the server refuses it: {words}", "Correct it in the program.")

    def shown(self, actual: Webhook, served: WireValues) -> WireValues:
        """Return the inputs in a response; only that of a generic webhook has the body, which others keep."""
        return served if actual.service == WebhookService.GENERIC else {BODY: "", **served}

    def create_once(self, session: Session, wanted: Webhook) -> CreateResult[Webhook]:
        """Create the webhook.

        Raises:
            ResourceError: Another webhook has its name and service.
        """
        try:
            return super().create_once(session, wanted)
        except ClientError as error:
            if "already exists" not in error.message:
                raise
            raise ResourceError(
                f"could not create {self.what(wanted)}: {error.message}",
                "If that webhook is yours, import it (`pulumi import`, or `clouddb import-file`; listWebhooks returns "
                "its id). Otherwise choose another name.",
            ) from None

    def name_of(self, wanted: Webhook) -> str:
        """Return service and name, which are unique together."""
        return webhook_name(wanted.service, wanted.name)

    def what(self, wanted: Webhook) -> str:
        """Return the webhook in words."""
        return f"webhook {wanted.name!r}"

    def delete(self, session: Session, object_id: str, state: State[Webhook]) -> None:
        """Delete the webhook; if alerts use it, the error names them.

        Raises:
            ResourceError: Alerts use it.
        """
        try:
            super().delete(session, object_id, state)
        except ConflictError as error:
            alerts = self.users_of(session, object_id, state.wanted, max_age=0.0)
            raise ResourceError(
                f"could not delete {self.what(state.wanted)} (id {object_id}): {error.message}",
                f"Give these alerts another webhook, or delete them: {', '.join(alerts)}." if alerts else error.hint,
            ) from None

    def body_of_update(self, session: Session, update: Update[Webhook]) -> WireDict:
        """Return the body of a PUT, for Slack without the properties that it does not have."""
        body = super().body_of_update(session, update)
        rejected = NOT_OF_SLACK if update.wanted.service == WebhookService.SLACK else ()
        return {name: value for name, value in body.items() if name not in rejected}
