"""Webhooks of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.schema.assumptions import ALL, MEASURED, Assumption
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .webhook import Webhook

PATH = "/webhooks"
ONE = PATH + "/{webhookId}"


WEBHOOKS_ARE_NOT_READ_ALONE = Assumption("No operation reads one webhook.", MEASURED, ALL)


class Webhooks(Collection[Webhook]):
    """The webhooks of one server."""

    model = Webhook
    body = body_of(Webhook)
    id_part = "webhook_id"

    LIST = observability("list_webhooks", "GET", PATH, "Webhook", "list the webhooks", only=CLICKHOUSE, per_page=1000)
    CREATE = observability("create_webhook", "POST", PATH, "Webhook", "create the webhook", only=CLICKHOUSE)
    UPDATE = observability("update_webhook", "PUT", ONE, "Webhook", "update the webhook", only=CLICKHOUSE)
    DELETE = observability("delete_webhook", "DELETE", ONE, "None", "delete the webhook", only=CLICKHOUSE)

    def name_of(self, record: Webhook) -> str:
        """Return service and name: together they are unique."""
        return webhook_name(record.service, record.name)


def webhook_name(service: str | None, name: str | None) -> str:
    """Return the unique name of a webhook on a server."""
    return f"{service}: {(name or '').strip()}"
