"""Probes of the assumptions that collections declare with `unique_by` and `not_listed`.

They send what the life of the resource sends at its creation, with another name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from codegen.assumptions import IN_PART, UNIQUE, assumptions_of
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Forms, Operation
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.base import AnyResource
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.thing import body_of
from real_server.request import filled

from . import cloud, observability
from .bench import Bench, NotMadeError, Probe, Values
from .needs import Needs
from .outcome import Outcome, each_holds, equal, holds_if
from .world import UnavailableError, World, names_in


def declaring() -> Iterator[tuple[str, type[Collection[Any]]]]:
    """Yield the name of each declared assumption, and its collection."""
    for handler in RESOURCES.values():
        for name, _ in assumptions_of(handler.collection):
            yield name, handler.collection


def operation_of(bench_is_cloud: bool, forms: Forms) -> Operation:
    """Return the form of an operation that an account has."""
    return forms.managed if bench_is_cloud else forms.self_hosted


class _Objects:
    """The objects of a resource, which are made as its life makes them."""

    def __init__(self, bench: Bench, handler: AnyResource) -> None:
        self.bench, self.handler, self.collection = bench, handler, handler.collection
        subjects = cloud.SUBJECTS if bench.is_cloud else observability.SUBJECTS
        self.subject = next(each for each in subjects if each.resource == handler.type.name)
        self.path = self._path(self.collection.LIST)

    def _path(self, forms: Forms) -> str:
        operation = operation_of(self.bench.is_cloud, forms)
        service = self.bench.service["id"] if "{serviceId}" in operation.path else ""
        return self.bench.account.path(operation, serviceId=service)

    def body(self) -> Values:
        """Return the body of a create, with a name that no other object has.

        Raises:
            NotMadeError: The account does not have what it refers to.
        """
        world: World = self.bench.once(_world)
        try:
            world.make(sorted(names_in(self.subject.before)))
        except (UnavailableError, ValueError) as error:
            raise NotMadeError(str(error)) from None
        inputs = {**filled(self.subject.before, world.kept), NAME: self.bench.name()}
        sent = wire_names(body_of(self.handler.type.thing))
        return self.in_dialect({name: value for name, value in inputs.items() if name in sent})

    def in_dialect(self, values: Values) -> Values:
        """Return values in the words of the server."""
        record = operation_of(self.bench.is_cloud, self.collection.LIST).record
        return dict(DIALECTS[self.bench.account.dialect].to_server(record, values))


def _world(bench: Bench) -> World:
    """Return the objects that others refer to, with the service of all probes."""
    world = World(bench.account, Needs.model_validate(bench.needs))
    if bench.is_cloud:
        world.kept["service"] = bench.service
    return world


def _is_unique(handler: AnyResource) -> Probe:
    def probe(bench: Bench) -> Outcome:
        """Create a second object with the unique values of another, and give them to a third one."""
        objects = _Objects(bench, handler)
        body, other = objects.body(), objects.body()
        bench.make(objects.path, body)
        same = {**other, **{name: body[name] for name in handler.collection.unique_by}}
        replies = [bench.send("POST", objects.path, same)]
        if replies[0].response.is_success:
            bench.will_delete(f"{objects.path}/{replies[0].result['id']}")
        if update := getattr(handler.collection, "UPDATE", None):
            third = bench.make(objects.path, other)
            replies.append(bench.send(update.managed.method, f"{objects.path}/{third['id']}", same))
        refused = (each.response.is_client_error and each.reason is not None for each in replies)
        return each_holds(*(holds_if(each, reply.words) for each, reply in zip(refused, replies, strict=True)))

    return probe


def _is_listed_in_part(handler: AnyResource) -> Probe:
    def probe(bench: Bench) -> Outcome:
        """Look for a new object in the list, and compare it with the object when it is read alone."""
        objects = _Objects(bench, handler)
        body = objects.body()
        made = bench.make(objects.path, body)
        result = bench.send("GET", objects.path).result
        records = result["items"] if isinstance(result, dict) else result
        listed: Values = next((each for each in records if each["id"] == made["id"]), {})
        alone = bench.send("GET", f"{objects.path}/{made['id']}").result
        left_out = objects.in_dialect(dict.fromkeys(handler.collection.not_listed))
        return each_holds(
            equal(listed.get(NAME), body[NAME], "the name in the list"),
            holds_if(not left_out.keys() & listed.keys(), f"the list has {', '.join(left_out)}"),
            *(equal(alone.get(name), body[name], f"{name} when it is read alone") for name in left_out if name in body),
        )

    return probe


_KINDS: Mapping[str, Callable[[AnyResource], Probe]] = {UNIQUE: _is_unique, IN_PART: _is_listed_in_part}

PROBES: Mapping[str, Probe] = {
    name: make(handler)
    for handler in RESOURCES.values()
    for name, _ in assumptions_of(handler.collection)
    for end, make in _KINDS.items()
    if name.endswith(end)
}
"""The probes by name."""
