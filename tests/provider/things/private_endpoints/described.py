"""Private endpoints: the registration with a service; the organization lists and removes them."""

from __future__ import annotations

from typing_extensions import TypedDict

from description.exchange import Exchange
from things.organizations.described import PrivateEndpoint


class Create(TypedDict, total=False):
    id: str
    description: str


EXCHANGES = {
    "create_private_endpoint": Exchange(Create, PrivateEndpoint),
}
