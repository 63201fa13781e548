"""Private endpoints, as they are registered with a service; the organization lists and removes them."""

from __future__ import annotations

from typing_extensions import TypedDict


class Create(TypedDict, total=False):
    id: str
    description: str
