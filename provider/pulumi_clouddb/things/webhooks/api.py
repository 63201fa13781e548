"""Webhooks of an observability server."""

from __future__ import annotations

from collections.abc import Sequence

from pulumi_clouddb.client.errors import ClientError, NotFoundError
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.schema.assumptions import MEASURED
from pulumi_clouddb.schema.names import property_names
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues, objects
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .webhook import Webhook

PATH = "/webhooks"
ONE = PATH + "/{webhookId}"


BAD_REQUEST = 400


class Webhooks(ReplacedCollection[Webhook]):
    """The webhooks of one server."""

    model = Webhook
    body = body_of(Webhook)
    id_part = "webhook_id"
    unique_by = property_names(Webhook, lambda webhook: (webhook.service, webhook.name))
    source = MEASURED

    LIST = observability("list_webhooks", "GET", PATH, "Webhook", "list the webhooks", only=CLICKHOUSE, per_page=1000)
    CREATE = observability("create_webhook", "POST", PATH, "Webhook", "create the webhook", only=CLICKHOUSE)
    VALIDATE = observability(
        "validate_webhook",
        "POST",
        PATH + "/validate",
        "Validation",
        "validate the webhook",
        only=CLICKHOUSE,
        bare=True,
    )
    UPDATE = observability("update_webhook", "PUT", ONE, "Webhook", "update the webhook", only=CLICKHOUSE)
    DELETE = observability("delete_webhook", "DELETE", ONE, "None", "delete the webhook", only=CLICKHOUSE)

    def faults(self, body: WireValues) -> Sequence[tuple[str, str]]:
        """Return the path and the message of each fault of a body, which the server validates without storing it.

        There is none if the server does not offer a validation.

        Raises:
            ApiError: The request failed.
        """
        try:
            found = self.api.if_offered(self.form(self.VALIDATE), lambda: self.call(self.VALIDATE, None, body))
        except NotFoundError:
            return ()
        except ClientError as error:
            if error.status != BAD_REQUEST:
                raise
            return (("", error.message),)
        if not found or found.get("valid") is not False:
            return ()
        return [(str(each.get("path") or ""), str(each.get("message") or "")) for each in objects(found.get("errors"))]

    def name_of(self, record: Webhook) -> str:
        """Return service and name: together they are unique."""
        return webhook_name(record.service, record.name)


def webhook_name(service: str | None, name: str | None) -> str:
    """Return the unique name of a webhook on a server."""
    return f"{service}: {(name or '').strip()}"
