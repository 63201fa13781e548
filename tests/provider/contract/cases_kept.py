"""A server that ignores one property: an update is not repeated for ever, and a refresh warns that the server keeps it.

The cases are each property that a life sends at its create; the server stores another value, whatever is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.sandbox.store import Store
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.additions import UNRECORDED

from .case import Case, Step
from .cases_lives import SAME
from .cases_service_settings import CLICKHOUSE
from .steps import create, diff, later_command, refresh

ROUNDS = 3
LEFT_OUT = {
    "ApiKey.roles": "the key of the test is one of them, and would lose its own",
    "PostgresService.pgConfig": "the sandbox stores it apart; tests/provider/resources/test_server_additions.py",
    "StackInvitation": "no response to its create has its name and address, so that other ones are drift",
}
"""The resources and properties that are not played, and why."""

UNSEEN = {
    "Alert.dashboardId": "responses have it under another name",
    "ByocInfrastructure.availabilityZoneSuffixes": "no server returns it",
    "ByocInfrastructure.externalId": "no server returns it",
    "Dashboard": "state has the server's own form, with which a refresh compares",
    "Invitation.role": "responses have the roles instead",
    "Service.endpoints": "a refresh compares the protocols that the program names",
}
"""Those of which no refresh warns, as it compares something else, and why."""

PUT = Store.put


@dataclass(frozen=True)
class Ignored:
    """A property that the server ignores.

    Attributes:
        case: The requests, with all responses as if the server took the value.
        kind: The kind of the objects in the sandbox.
        name: The property.
        value: The value that the server has; None for another one than is sent first.
    """

    case: Case
    kind: str
    name: str
    value: Any
    kept: dict[tuple[int, str], Any] = field(default_factory=dict)
    made: set[tuple[int, str]] = field(default_factory=set)

    def put(self, store: Store, kind: str, id_: str, document: dict[str, Any], parent: str = "") -> None:
        """Store a document with the server's own value."""
        key = id(store), id_
        if kind == self.kind and store.get(kind, id_) is None:
            self.made.add(key)  # the keys of the sandbox itself exist before
        if kind == self.kind and key in self.made and document.get(self.name) is not None:
            value = another(document[self.name]) if self.value is None else self.value
            document[self.name] = self.kept.setdefault(key, value)  # the same object is the response
        PUT(store, kind, id_, document, parent)


def another(value: Any) -> Any:
    """Return another value of the same form."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, list):
        return [another(each) for each in value]
    if isinstance(value, dict):
        return {name: another(each) for name, each in value.items()}
    return f"{value}x" if isinstance(value, str) else value


def _cases() -> Iterator[Ignored]:
    """Yield a case for each property; the first one of each resource is quick."""
    seen: set[tuple[str, str]] = set()
    for life in WIRE_LIVES:
        for name, value in life.before.items():
            place = (life.life.name, name)
            if not life.life.stays and place not in seen and name not in _unsent(life):
                if _has(LEFT_OUT, place):
                    continue
                yield _case(life, name, value, slow=any(each == life.life.name for each, _ in seen))
                seen.add(place)


def _unsent(life: WireLife) -> tuple[str, ...]:
    """Return the properties that no response has, or that are the id, without which no response is found."""
    resource = RESOURCES[life.life.name]
    in_id = resource.unique_by if isinstance(resource, PlainResource) and resource.name_is_id else ()
    return (*resource.type.provider_only, *resource.type.unanswered, *in_id)


def _has(table: Mapping[str, str], place: tuple[str, str]) -> bool:
    return not {place[0], ".".join(place)}.isdisjoint(table)


def _case(life: WireLife, name: str, value: Any, *, slow: bool) -> Ignored:
    other = life.after.get(name)
    is_more = RESOURCES[life.life.name].type.additions(name, value, other) is not UNRECORDED
    usable = other is not None and not is_more and "$" not in str(other)
    case = Case(
        f"{life}: a server that ignores {name} is not updated again",
        life.life.name,
        (create(life.before), *_rounds(life.before)),
        CLICKHOUSE,
        life.life.setting,
        warns=() if _has(UNSEEN, (life.life.name, name)) else (f"The server keeps its own {name} of ",) * ROUNDS,
        beyond=True,
        slow=slow,
    )
    return Ignored(case, life.life.kind, name, other if usable else None)


def _rounds(inputs: dict[str, Any]) -> list[Step]:
    return [step for _ in range(ROUNDS) for step in (later_command(), refresh(), diff(inputs, **SAME))]


CASES = [*_cases()]
