"""Finds equal objects: an interrupted run on a machine without a persistent disk may have created one of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import ApiError, ListNotFoundError, first_line
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Record
from pulumi_clouddb.schema.tags import CREATE_TAG
from pulumi_clouddb.schema.values import WireDict, WireValues
from pulumi_clouddb.things.services.api import Services

from .finding import Finding, note, ok, warning
from .servers import Management
from .situation import Situation

OF_ORGANIZATION = ("Service", "PostgresService", "ApiKey")
OF_OBSERVABILITY = ("Dashboard", "SavedSearch", "Alert")
"""Resources of which a repeated create makes a duplicate, by server."""

IGNORED = {
    *("id", "keySuffix", "createdAt", "updatedAt", "usedAt", "expireAt", "state", "endpoints"),
    *("hostname", "connectionString", "password"),
}
"""Fields, at any depth, that differ between objects created by equal requests."""


def check_duplicates(situation: Situation) -> Iterator[Finding]:
    """Yield groups of equal objects. Lists every resource of every service."""
    api = Api(Client(situation.config))
    found = unread = False
    for kind, service_id in _places(situation, api):
        try:
            records = api.of(RESOURCES[kind].collection, service_id).records() or {}
        except ListNotFoundError:  # a service without an observability server
            continue
        except ApiError as error:
            unread = True
            where = f" of service {service_id}" if service_id else ""
            text = f"objects of type {kind}{where} cannot be compared: {first_line(error)}"
            yield warning("not-listed", text, f"Run {situation.again} again.")
            continue
        for group in _equal(records.values()):
            found = True
            ids = ", ".join(str(each["id"]) for each in group)
            yield note(
                "equal-objects",
                f"{len(group)} objects of type {kind} named {group[0].get('name')!r} are equal: {ids}",
                "Each may belong to a different stack. If an interrupted run created one of them, delete in the "
                "console those whose ids no stack lists:",
                "pulumi stack --show-ids",
            )
    servers = situation.servers
    if servers and not (found or unread) and all(server.accepts for server in servers):
        yield ok("duplicates", "no two objects are equal")


def _places(situation: Situation, api: Api) -> Iterator[tuple[str, str | None]]:
    """Yield each resource with the id of the service that its objects belong to, or None."""
    of_organization, of_observability = (
        [kind for kind in kinds if RESOURCES[kind].type.only in (None, situation.config.vocabulary)]
        for kinds in (OF_ORGANIZATION, OF_OBSERVABILITY)
    )
    for server in situation.servers:
        if not server.accepts:  # reported by other checks; repeated requests would take minutes
            continue
        if not isinstance(server, Management):
            yield from ((kind, None) for kind in of_observability)
            continue
        yield from ((kind, None) for kind in of_organization)
        services = api.of(Services)
        with suppress(ApiError):  # reported for Service above
            for record in filter(services.exists, (services.records() or {}).values()):
                yield from ((kind, services.id_of(record)) for kind in of_observability)


def _equal(records: Iterable[Record]) -> list[list[WireValues]]:
    groups: dict[str, list[WireValues]] = defaultdict(list)
    for record in records:
        groups[json.dumps(_compared(record.answer), sort_keys=True)].append(record.answer)
    return [group for group in groups.values() if len(group) > 1]


def _compared(value: object) -> object:
    if isinstance(value, Mapping):
        compared: WireDict = {name: _compared(item) for name, item in value.items() if name not in IGNORED}
        return compared
    return [_compared(item) for item in value if not _is_mark(item)] if isinstance(value, list) else value


def _is_mark(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("key") == CREATE_TAG
