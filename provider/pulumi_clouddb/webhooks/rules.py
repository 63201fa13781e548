"""What the vendor's servers ask of a webhook beyond the form of its fields; most of them are secret, and not quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Protocol

from pulumi_clouddb.schema.javascript import in_units, is_reserved, web_host
from pulumi_clouddb.schema.rules import Rule, RuleContext

MOST = 100
"""Headers, and query parameters, of one webhook."""

HEADER = re.compile(r"(?!\d)[!#$%&'*+\-.0-9A-Z^_`a-z|~]{1,256}")
PARAMETER = re.compile(r"[^\x00-\x1f\x7f]{1,1024}")
VALUE = re.compile(r"[^\x00-\x1f\x7f]{0,4096}")


class Seen(Protocol):
    """What the rules see of a webhook."""

    service: str | None
    url: str | None
    body: str | None
    headers: Mapping[str, object] | None
    query_params: Mapping[str, object] | None


def _of_slack(webhook: Seen, _: RuleContext) -> bool:
    host = _host(webhook)
    return host is not None and webhook.service == "slack" and not f".{host}".endswith(".slack.com")


def _host(webhook: Seen) -> str | None:
    """Return the host that notifications go to; None where there is none."""
    try:
        return web_host(webhook.url or "", only_web=True)
    except ValueError:
        return None


class SeenWithForm(Seen, Protocol):
    """What the rules see of a webhook of a program."""

    service_id: str | None


def _templated(field: Callable[[Seen], object]) -> Rule[Seen]:
    return Rule(
        field,
        lambda webhook, _: webhook.service == "slack" and field(webhook) is not None,
        "is for the services generic and incidentio only",
    )


def _few(field: Callable[[Seen], Mapping[str, object] | None], names: re.Pattern[str], form: str) -> Rule[Seen]:
    def test(webhook: Seen, _: RuleContext) -> bool:
        given = field(webhook) or {}
        values = [in_units(value) for value in given.values() if isinstance(value, str)]
        fits = all(map(names.fullmatch, map(in_units, given))) and all(map(VALUE.fullmatch, values))
        return len(given) > MOST or not fits

    text = f"are at most {MOST}, with names of {form} and values of at most 4096 characters, none a control character"
    return Rule(field, test, text)


RULES: tuple[Rule[Seen], ...] = (
    Rule(
        lambda webhook: webhook.url,
        lambda webhook, _: webhook.url is not None and _host(webhook) is None,
        "must be an address with http or https",
    ),
    Rule(lambda webhook: webhook.url, _of_slack, "must be one of slack.com where service is slack"),
    _templated(lambda webhook: webhook.body),
    _templated(lambda webhook: webhook.headers),
    _templated(lambda webhook: webhook.query_params),
    _few(
        lambda webhook: webhook.headers,
        HEADER,
        "at most 256 letters, digits and !#$%&'*+-.^_`|~ that begin with no digit",
    ),
    _few(lambda webhook: webhook.query_params, PARAMETER, "1 to 1024 characters"),
)
"""The rules of a webhook."""

NOT_RESERVED: Rule[SeenWithForm] = Rule(
    lambda webhook: webhook.url,
    lambda webhook, _: webhook.service_id is not None and is_reserved(_host(webhook) or ""),
    "must be no private or reserved address in the managed form: the cloud sends nothing there",
)
"""The rule of a program's webhook; self-hosted servers may have a list of addresses that they allow."""
