"""Webhooks of an observability server."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import NotFoundError, UnsupportedOperationError
from pulumi_clouddb.client.operation import observability
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

from .webhook import Webhook

PATH = "/webhooks"
ONE = PATH + "/{webhookId}"


class Webhooks(Collection[Webhook]):
    """The webhooks of one server. No operation reads one alone, so the list is used."""

    model = Webhook
    body = body_of(Webhook)
    id_part = "webhook_id"

    LIST = observability("list_webhooks", "GET", PATH, "Webhook", "list the webhooks", only=CLICKHOUSE, per_page=1000)
    CREATE = observability("create_webhook", "POST", PATH, "Webhook", "create the webhook", only=CLICKHOUSE)
    UPDATE = observability("update_webhook", "PUT", ONE, "Webhook", "update the webhook", only=CLICKHOUSE)
    DELETE = observability("delete_webhook", "DELETE", ONE, "None", "delete the webhook", only=CLICKHOUSE)

    def get(self, object_id: str) -> Webhook:
        """Return one webhook from a new list.

        Raises:
            NotFoundError: There is no such webhook.
            UnsupportedOperationError: The server does not list webhooks.
        """
        operation = self.list_operation
        listed = self.records(max_age=0.0)
        if listed is None:
            raise UnsupportedOperationError(operation, operation.path, "the webhooks are not listed")
        if object_id not in listed:
            raise NotFoundError(operation, operation.path, f"the list has no webhook {object_id}")
        return listed[object_id]

    def name_of(self, record: Webhook) -> str:
        """Return service and name: together they are unique."""
        return webhook_name(record.service, record.name)

    def current(self, object_id: str, known: WireValues) -> Webhook:
        """Return one webhook from a list that is at most a poll interval old, or from a new one; see `get`."""
        max_age = float(self.api.client.config.poll_interval_seconds)
        return self.shown(object_id, max_age=max_age) or self.get(object_id)


def webhook_name(service: str | None, name: str | None) -> str:
    """Return the unique name of a webhook on a server."""
    return f"{service}: {(name or '').strip()}"
