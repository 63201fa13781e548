"""What the provider and the sandbox assume of servers about webhooks."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import ALL, Assumption, measured

WEBHOOKS_ARE_VALIDATED = Assumption(
    "A webhook is validated at `/webhooks/validate` without being stored: the response has `valid`, and `errors` with "
    "`path` and `message`, as that of dashboards. Servers up to 2.36 do not have it.",
    "the vendor's description of October 2026; the form of the response is that of `/dashboards/validate`",
    ALL,
)
WEBHOOKS_ARE_NOT_READ_ALONE = measured("No operation reads one webhook.")
WEBHOOKS_OF_TWO_SERVICES_SHARE_A_NAME = measured("A webhook is accepted with the name of one of another service.")
FIRST_WEBHOOK_OF_AN_ALERT_STAYS = measured("The first webhook of an alert is not deleted: the refusal is 409.")
OTHER_WEBHOOKS_OF_AN_ALERT_ARE_DELETED = measured("A webhook that is not the first of an alert is deleted.")
PRIVATE_ADDRESSES_ARE_REFUSED = measured(
    "A webhook with a private address is refused, unless the server allows its host."
)
WEBHOOK_HIDES_HEADERS = measured("No response contains the headers or the query parameters of a webhook.")
SLACK_HAS_NO_HEADERS = measured("A webhook of Slack with headers is refused.")
ANOTHER_ADDRESS_CLEARS_HEADERS = Assumption(
    "Another address of a webhook clears the headers that the update omits; otherwise they stay.",
    "controllers/webhook.ts of the observability server 2.36.0",
    ALL,
)
