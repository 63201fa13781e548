"""Webhooks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import Required, TypedDict

from description.exchange import both_forms, collection
from description.notation import CLOUD, Moment

Pairs = Annotated[dict[str, Annotated[str, Field(max_length=4096)]], Field(max_length=100)]


class Change(TypedDict, total=False):
    name: Required[Annotated[str, Field(max_length=1024)]]
    service: Required[Literal["slack", "incidentio", "generic"]]
    url: Required[Annotated[str, Field(max_length=2048)]]
    description: Annotated[str, Field(max_length=2048)]
    body: Annotated[str, Field(max_length=16384)]
    headers: Pairs
    queryParams: Pairs


class Plain(TypedDict, total=False):
    """A webhook whose request body is the server's."""

    id: Required[str]
    name: Required[str]
    service: Required[Literal["slack", "incidentio"] | Annotated[Literal["slack_api", "pagerduty_api"], CLOUD]]
    url: str
    description: str
    createdAt: Required[Moment]
    updatedAt: Required[Moment]


class Generic(TypedDict, total=False):
    """A webhook with a template for the request body."""

    id: Required[str]
    name: Required[str]
    service: Required[Literal["generic"]]
    url: str
    description: str
    body: str
    createdAt: Required[Moment]
    updatedAt: Required[Moment]


Webhook = Plain | Generic
"""The response of a webhook."""


EXCHANGES = both_forms(
    {
        name: each
        for name, each in collection("webhook", "webhooks", Change, Change, Webhook, 1000).items()
        if name != "get_webhook"
    }
)
