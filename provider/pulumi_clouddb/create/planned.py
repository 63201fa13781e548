"""What a run is going to create, as far as its checks have told."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pulumi_clouddb.client.list_cache import ListKey

from .create_request import CreateRequest


@dataclass
class Planned:
    """The new resources of a run; see `unique_names`. Pulumi's engine checks one resource after the other.

    Attributes:
        in_state: URNs that state is known to hold: what is checked as new under one of them is a replacement.
        released: Ids of the objects that this run gives another name.
        new: The resources to create, by URN, each with the request and the id of the object that has its name already.
        lists: The objects that the server listed, where it answered in time.
    """

    in_state: set[str] = field(default_factory=set)
    released: set[str] = field(default_factory=set)
    new: dict[str, tuple[CreateRequest[Any], str] | None] = field(default_factory=dict)
    lists: dict[ListKey, list[Any] | None] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The names of the new resources in the program."""
        return [urn.split("::", 3)[-1] for urn in self.new]
