"""The programs of the runs: 18 to 30 resources, before and after a change.

Each object has the name of its resource, which identifies it in logs, in records and on the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

from clouddb_tools.commands.export.statements import Ref, Step
from clouddb_tools.sandbox import Sandbox
from faults.case import DIALECTS
from support.five import TILES
from support.ids import CALM, LOGS

from .plan import Plan

Inputs = dict[str, Any]
KINDS = {
    "Service": "services",
    "PipeScaling": "pipes",
    "ApiKey": "keys",
    "Dashboard": "dashboards",
    "Alert": "alerts",
    "SavedSearch": "saved_searches",
    "Webhook": "webhooks",
}
"""The sandbox's collection for each resource."""

MARKED = ("Service", "ApiKey")
"""Resources whose objects have a mark in the clickhouse dialect."""

SECRET = "hush-hush"
"""Part of the address of each webhook, which is secret."""

KEPT, CHANGED, REPLACED, REMOVED, ADDED = "kept", "changed", "replaced", "removed", "added"
FATES = (*(KEPT,) * 3, *(CHANGED,) * 3, *(REPLACED,) * 2, REMOVED)
_CAN_BE_REPLACED = ("Service", "ApiKey")
DESTROYED = -1
"""The edition of a destroyed stack."""

SCALED = 2
"""Replicas of a pipe before a change."""

_PIPES = 3
_LEAST = {"Service": 4, "ApiKey": 4, "Dashboard": 3, "Alert": 2, "PipeScaling": 1, "SavedSearch": 1, "Webhook": 1}


@dataclass(frozen=True)
class Item:
    """A resource of a program.

    Attributes:
        name: Its name, and that of its object.
        fate: Its change between the editions.
        number: Its number among the resources of its kind.
        managed: Whether it is an object of a service's observability server.
        watched: The dashboard of an alert.
    """

    kind: str
    name: str
    fate: str
    number: int
    managed: bool = False
    watched: Item | None = None


class Programs:
    """The two editions of a run's program."""

    def __init__(self, plan: Plan, sandbox: Sandbox) -> None:
        self._service_id: str = sandbox.add("services", name="existing", provider="aws", region="us-east-1")["id"]
        self._pipe_ids = [sandbox.add_pipe(self._service_id, name=f"pipe{each}")["id"] for each in range(_PIPES)]
        self.items = _items(plan)
        sandbox.seed(_others(self.items))

    def of(self, edition: int) -> list[Item]:
        """Return the resources of an edition: 0, 1, or none for `DESTROYED`."""
        return [] if edition == DESTROYED else [each for each in self.items if each.fate != (ADDED, REMOVED)[edition]]

    def steps(self, edition: int) -> list[Step]:
        """Return the program of an edition."""
        return [Step(each.name, each.kind, self._inputs(each, edition), each.name) for each in self.of(edition)]

    def overridden(self, edition: int) -> set[tuple[str, str]]:
        """Return the existing objects that an edition overrides; those of removed resources are restored."""
        return {("pipes", self._pipe_ids[each.number]) for each in self.of(edition) if each.kind == "PipeScaling"}

    def _inputs(self, item: Item, edition: int) -> Inputs:
        changed = edition if item.fate == CHANGED else 0
        replaced = edition if item.fate == REPLACED else 0
        where = {"serviceId": self._service_id} if item.managed else {}
        if item.kind == "PipeScaling":
            ids = {"serviceId": self._service_id, "pipeId": self._pipe_ids[item.number]}
            return {**ids, "replicas": SCALED + changed}
        inputs: Inputs = {**where, "name": item.name}
        if item.kind == "Service":
            region = ("us-east-1", "us-east-2")[replaced]
            network = ("10.0.0.0/8", "10.1.0.0/16")[changed]
            inputs |= {"provider": "aws", "region": region, "allowReplacement": True}
            inputs |= {"ipAccessList": [{"source": network, "description": "office"}]}
        elif item.kind == "ApiKey":
            inputs |= {"roles": [("developer", "query_endpoints")[changed]], "rotation": str(replaced)}
        elif item.kind == "Dashboard":
            inputs |= {"tags": ["shop", "sales"][: 1 + changed], "tiles": TILES}
        elif item.kind == "Alert":
            assert item.watched is not None
            of = item.watched.name
            inputs |= {"dashboardId": Ref(f"{of}.id"), "tileId": Ref(f"{of}.tileIds", "errors")}
            inputs |= {"threshold": 10 + changed, "interval": "5m", "thresholdType": "above"}
            inputs |= {"channel": {"type": "webhook", "webhookId": CALM}}
        elif item.kind == "SavedSearch":
            inputs |= {"sourceId": LOGS, "where": f"Level:{('error', 'fatal')[changed]}", "tags": ["shop"]}
        else:
            url = f"https://events.example.com/{SECRET}-{item.name}-{changed}"
            inputs |= {"service": "generic", "url": url, "body": "{{title}}"}
        return inputs


def _items(plan: Plan) -> list[Item]:
    chance = plan.chance
    least = {kind: number for kind, number in _LEAST.items() if kind != "Webhook" or plan.dialect == DIALECTS[1]}
    kinds = [kind for kind, number in least.items() for _ in range(number)]
    while len(kinds) < plan.resources:
        kind = chance.choice([*least])
        if kind != "PipeScaling" or kinds.count(kind) < _PIPES:
            kinds.append(kind)
    added = [chance.choice([kind for kind in least if kind != "PipeScaling"]) for _ in range(chance.randint(2, 4))]
    items: list[Item] = []
    for kind, is_added in [*((kind, False) for kind in kinds), *((kind, True) for kind in added)]:
        items.append(_item(kind, is_added, items, chance))
    return sorted(items, key=lambda item: item.kind == "Alert" or chance.random())


def _item(kind: str, is_added: bool, before: list[Item], chance: Random) -> Item:
    number = sum(each.kind == kind for each in before)
    fate = ADDED if is_added else chance.choice(FATES)
    if fate == REPLACED and kind not in _CAN_BE_REPLACED:
        fate = CHANGED
    name = f"{kind.lower()}{number}"
    if kind in ("Service", "ApiKey", "PipeScaling"):
        return Item(kind, name, fate, number)
    if kind != "Alert":
        return Item(kind, name, fate, number, managed=chance.random() < 0.5)
    boards = [each for each in before if each.kind == "Dashboard" and each.fate != ADDED]
    watched = chance.choice(boards)
    return Item(kind, name, REMOVED if watched.fate == REMOVED else fate, number, watched.managed, watched)


def _others(items: list[Item]) -> dict[str, list[Inputs]]:
    """Return objects of another user with the same names as the program's, or other names if these must be unique."""
    name = {each.kind: each.name for each in items}
    tiles = [{key: value for key, value in tile.items() if key != "key"} for tile in TILES]
    return {
        "services": [{"name": "other", "provider": "aws", "region": "us-east-1"}],
        "keys": [{"name": name["ApiKey"], "roles": ["admin"]}],
        "dashboards": [{"name": name["Dashboard"], "tags": ["mine"], "tiles": tiles}],
        "saved_searches": [{"name": name["SavedSearch"], "sourceId": LOGS, "where": "mine"}],
    }
