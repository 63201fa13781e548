"""Random requests by a seed: known bodies with one to four properties changed, dropped or added."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from .request import ABSENT, Scenario, Values, scenario
from .requests import SCENARIOS, WORLD

KNOWN = {each.name for each in WORLD}

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 24, 0.5, 1e21, 1e300, -0.0, 2**53, 3.0),
    *("", " ", "a", "0", "a\0b", "\U0001f600", "\U0001f600" * 20, "é", "$a", "<b>", "a.b", "__proto__", "x" * 33),
    *("sql", "lucene", "promql", "count", "line", "number", "2024-01-01T00:00:00Z", "a IN ('b')"),
    *([], [[]], [None], {}, {"a": 1}, ["a"], ["a", "a"], [{}], {"id": ABSENT}, ABSENT, "abcdefghijkl"),
)
"""Unusual values."""

QUERIES = (
    *("", "?limit=1", "?limit=0", "?limit=0x10", "?limit[]=1", "?limit=1e1", "?limit=-1", "?limit=1001", "?limit=a"),
    *("?limit=", "?offset=1", "?offset=0b1", "?offset=1.5", "?limit=1&limit=2", "?limit[a]=1", "?a=b", "?limit=%201"),
)
IDS = (ABSENT, ABSENT.upper(), "abc", "abcdefghijkl", "ééabcdefgh", "0", "%20", "null", f"{ABSENT}0", "..%2falerts")
COLLECTIONS = ("dashboards", "alerts", "saved-searches", "sources", "connections", "webhooks")


class Bodies:
    """The known bodies by collection, and the values of each property in them."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._bodies: dict[str, list[Values]] = {each: [] for each in COLLECTIONS}
        self._values: dict[str, list[Any]] = {}
        for each in SCENARIOS:
            for request in each.requests:
                if isinstance(request.body, dict) and request.path in self._bodies and _is_alone(request.body):
                    self._bodies[request.path].append(request.body)
                    self._remember(request.body)

    def _remember(self, value: Any) -> None:
        for name, item in value.items() if isinstance(value, dict) else ():
            known = self._values.setdefault(name, [])
            if item not in known and len(str(item)) < 2000:
                known.append(item)
            self._remember(item)
        for item in value if isinstance(value, list) else ():
            self._remember(item)

    def one(self, collection: str) -> Values:
        """Return a body of a collection with one to four changes."""
        body = deepcopy(self._source.choice(self._bodies[collection]))
        if len(str(body)) > 20_000:
            return body
        for _ in range(self._source.choice((1, 1, 2, 2, 3, 4))):
            self._change(body)
        return body

    def _change(self, body: Values) -> None:
        holder = self._source.choice(list(_holders(body)))
        if isinstance(holder, list):
            self._change_list(holder)
            return
        name = self._source.choice([*holder, self._source.choice(list(self._values))])
        how = self._source.random()
        if how < 0.15:
            holder.pop(name, None)
        elif how < 0.6:
            holder[name] = deepcopy(self._source.choice(self._values.get(name) or list(ODD)))
        else:
            holder[name] = deepcopy(self._source.choice(ODD))

    def _change_list(self, holder: list[Any]) -> None:
        how = self._source.random()
        if how < 0.3 and holder:
            holder.append(deepcopy(self._source.choice(holder)))
        elif how < 0.5 and holder:
            holder.pop(self._source.randrange(len(holder)))
        else:
            holder.append(deepcopy(self._source.choice(ODD)))


def _is_alone(body: Values) -> bool:
    """Return whether a body refers only to objects that exist in all scenarios."""
    named = {part.partition(">")[0].partition(".")[0] for part in str(body).split("<")[1:]}
    return named <= KNOWN


def _holders(value: Any) -> Iterator[Any]:
    """Yield each object and list in a body."""
    if isinstance(value, (dict, list)):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _holders(item)


def scenarios(seed: int, count: int) -> Iterator[Scenario]:
    """Yield scenarios of random requests, in total `count` requests or a few more."""
    source = random.Random(seed)  # noqa: S311 - the seed must give the same requests again
    bodies, made = Bodies(source), 0
    while made < count:
        scenario_ = _scenario(source, bodies, f"random {made}")
        made += len(scenario_.requests)
        yield scenario_


def _scenario(source: random.Random, bodies: Bodies, name: str) -> Scenario:
    collection = source.choices(COLLECTIONS, (6, 3, 2, 2, 1, 2))[0]
    kind = source.random()
    if kind < 0.06:
        return scenario(name, (f"list of {collection}", "GET", f"{collection}{source.choice(QUERIES)}"))
    if kind < 0.1:
        method = source.choice(("GET", "PUT", "DELETE"))
        body = bodies.one(collection) if method == "PUT" else None
        return scenario(name, (f"{method} of an id", method, f"{collection}/{source.choice(IDS)}", body))
    if kind < 0.16:
        return scenario(name, ("validation", "POST", "dashboards/validate", bodies.one("dashboards")))
    create = (f"create of {collection}", "POST", collection, bodies.one(collection), "made")
    if kind < 0.6:
        return scenario(name, create)
    update = ("update", "PUT", f"{collection}/<made.id>", bodies.one(collection))
    if kind < 0.8 or collection == "webhooks":
        return scenario(name, create, update)
    return scenario(
        name,
        create,
        ("put back", "PUT", f"{collection}/<made.id>", "<made>"),
        update,
        ("read", "GET", f"{collection}/<made.id>"),
    )
