"""Looks for equal objects: an interrupted run on a machine that kept no disk may have created one of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.tags import CREATE_TAG
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.services.api import Services

from .finding import Finding, note, ok, warning
from .servers import Management
from .situation import Situation

OF_ORGANIZATION = ("Service", "ApiKey")
OF_OBSERVABILITY = ("Dashboard", "SavedSearch", "Alert")
"""The kinds of objects that a second create makes a second time, by the server that holds them."""

OF_ONE_OBJECT = {"id", "keySuffix", "createdAt", "updatedAt", "usedAt", "expireAt", "state", "endpoints"}
"""Fields in which two objects that were created by equal requests differ, at any depth."""


def check_duplicates(situation: Situation) -> Iterator[Finding]:
    """Yield the objects that are equal but for what the server adds. This takes a list of each kind and service."""
    api = Api(Client(situation.config))
    found = unread = False
    for kind, service_id in _places(situation, api):
        try:
            records = api.of(RESOURCES[kind].collection, service_id).listed()
        except ApiError as error:
            unread = True
            where = f" of service {service_id}" if service_id else ""
            first = str(error).partition("\n")[0]
            yield warning(
                "not-listed",
                f"objects of kind {kind}{where} cannot be compared: {first}",
                f"Run {situation.again} again.",
            )
            continue
        for group in _equal(records):
            found = True
            ids = ", ".join(str(each["id"]) for each in group)
            yield note(
                "equal-objects",
                f"{len(group)} objects of kind {kind} named {group[0].get('name')!r} are equal: {ids}",
                "Several stacks may each have one. If an interrupted run made one of them, delete in the console those "
                "that no stack lists among its ids:",
                "pulumi stack --show-ids",
            )
    if not (found or unread) and all(server.accepts for server in situation.servers):
        yield ok("duplicates", "no two objects are equal")


def _places(situation: Situation, api: Api) -> Iterator[tuple[str, str | None]]:
    """Yield each kind of objects with the service that they belong to, or None."""
    known = [kind for kind in OF_OBSERVABILITY if RESOURCES[kind].type.only in (None, situation.config.vocabulary)]
    for server in situation.servers:
        if not server.accepts:  # which is a finding of its own; asking it again and again would take minutes
            continue
        if not isinstance(server, Management):
            yield from ((kind, None) for kind in known)
            continue
        yield from ((kind, None) for kind in OF_ORGANIZATION)
        services = api.of(Services)
        with suppress(ApiError):  # the kind Service above says so
            for record in filter(services.exists, services.listed()):
                yield from ((kind, services.id_of(record)) for kind in known)


def _equal(records: Iterable[Record]) -> list[list[WireValues]]:
    groups: dict[str, list[WireValues]] = defaultdict(list)
    for record in records:
        groups[json.dumps(_compared(record.answer), sort_keys=True)].append(record.answer)
    return [group for group in groups.values() if len(group) > 1]


def _compared(value: object) -> object:
    if isinstance(value, Mapping):
        compared: WireDict = {name: _compared(item) for name, item in value.items() if name not in OF_ONE_OBJECT}
        return compared
    return [_compared(item) for item in value if not _is_mark(item)] if isinstance(value, list) else value


def _is_mark(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("key") == CREATE_TAG
