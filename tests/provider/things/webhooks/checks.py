"""Rows of webhooks: what an address, headers and query parameters may be."""

from __future__ import annotations

from support.rows import Row, Usual

URL = "https://events.example.com/a"
HOOK = {"name": "On call", "service": "generic", "url": URL}
WEBHOOK = Usual("Webhook", HOOK)
SLACK = {"service": "slack", "url": "https://hooks.slack.com/services/x"}
TEMPLATED = "is for the services generic and incidentio only"
HEADERS = "are at most 100, with names of at most 256 letters, digits and"
SERVICE = "11111111-2222-4333-8444-555555555555"
CASES: list[Row] = [
    WEBHOOK.rule({"url": "http://x.example/"}, {"url": "ftp://x.example/"}, "url must be an address with http"),
    WEBHOOK.rule({"url": "https://x.example:65535/"}, {"url": "https://x.example:65536/"}, "url must be an address"),
    WEBHOOK.rule(
        {"url": "https://8.8.8.8/", "serviceId": SERVICE},
        {"url": "https://0x7f.1/", "serviceId": SERVICE},
        "url must not be a private or reserved address in the managed form: the cloud does not send to these",
    ),
    WEBHOOK.rule(SLACK, {"service": "slack"}, "url must be an address of slack.com if service is slack"),
    WEBHOOK.rule({"body": ""}, {**SLACK, "body": "b"}, f"body {TEMPLATED}"),
    WEBHOOK.rule({"headers": {}}, {**SLACK, "headers": {}}, f"headers {TEMPLATED}"),
    WEBHOOK.rule({"queryParams": {}}, {**SLACK, "queryParams": {}}, f"queryParams {TEMPLATED}"),
    WEBHOOK.rule({"headers": {"X-a": "1"}}, {"headers": {"1a": "s3"}}, f"headers {HEADERS}"),
    WEBHOOK.rule({"headers": {"a": "b" * 4096}}, {"headers": {"a": "s\n3"}}, f"headers {HEADERS}"),
    WEBHOOK.rule(
        {"queryParams": {"1 a": ""}},
        {"queryParams": {"": "s3"}},
        "queryParams are at most 100, with names of 1 to 1024 characters",
    ),
    WEBHOOK.rule(
        {"headers": {f"h{number}": "" for number in range(100)}},
        {"headers": {f"h{number}": "" for number in range(101)}},
        f"headers {HEADERS}",
    ),
    WEBHOOK.rule({"name": "n" * 1024}, {"name": "n" * 1025}, "name must have at most 1024 characters but has"),
    WEBHOOK.rule({"url": f"{URL}{'a' * 2020}"}, {"url": f"{URL}{'a' * 2030}"}, "url must have at most 2048 characters"),
    WEBHOOK.rule({"description": "d" * 2048}, {"description": "d" * 2049}, "description must have at most 2048"),
    WEBHOOK.rule({"body": "b" * 16384}, {"body": "b" * 16385}, "body must have at most 16384"),
]
