"""Examples of webhooks."""

from __future__ import annotations

from clouddb_tools.commands.export.statements import Ref, Step

from .example import Example, Examples

WEBHOOK_STEP = Step(
    "onCall",
    "Webhook",
    {
        "name": "On call",
        "service": "generic",
        "url": "https://events.example.com/clouddb",
        "body": "{{title}}: {{body}} {{link}}",
        "queryParams": {"team": "shop"},
    },
)

EXAMPLES: Examples = {
    "Webhook": (Example("Send notifications to a server", [WEBHOOK_STEP], {"webhookId": Ref("onCall.id")}),),
    "listWebhooks": (
        Example(
            "Find a webhook that was created by hand",
            [Step("found", "listWebhooks", {"name": "On call"})],
            {"webhooks": Ref("found.webhooks")},
        ),
    ),
}
