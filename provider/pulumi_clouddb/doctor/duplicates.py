"""Looks for equal objects: an interrupted run on a machine that kept no disk may have created one of them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pulumi_clouddb.api.collections.alerts import Alerts
from pulumi_clouddb.api.collections.dashboards import Dashboards
from pulumi_clouddb.api.collections.keys import Keys
from pulumi_clouddb.api.collections.services import Services
from pulumi_clouddb.models.service_settings import CREATE_TAG
from pulumi_clouddb.models.values import WireDict

from .finding import Finding, note
from .servers import Management
from .situation import Situation

LISTS = {
    True: (("service", Services.LIST.managed), ("API key", Keys.LIST.managed)),
    False: (("dashboard", Dashboards.LIST.self_hosted), ("alert", Alerts.LIST.self_hosted)),
}
"""What is looked at, of a management API and of a self-hosted observability server."""

OF_ONE_OBJECT = {"id", "keySuffix", "createdAt", "updatedAt", "usedAt", "expireAt", "state", "endpoints"}
"""Fields in which two objects that were created by equal requests differ, at any depth."""


def check_duplicates(situation: Situation) -> Iterator[Finding]:
    """Yield the objects that are equal but for what the server adds."""
    for server in situation.servers:
        for what, operation in LISTS[isinstance(server, Management)]:
            listed = server.exchanges.ask(operation).result
            for group in _equal(listed if isinstance(listed, list) else ()):
                name, ids = group[0].get("name"), ", ".join(str(each["id"]) for each in group)
                yield note(
                    "equal-objects",
                    f"{len(group)} objects of kind {what} named {name!r} are equal: {ids}",
                    "Several stacks may each have one. If an interrupted run made one of them, delete in the console "
                    "those that no stack lists among its ids:",
                    "pulumi stack --show-ids",
                )


def _equal(listed: Sequence[object]) -> list[list[WireDict]]:
    groups: dict[str, list[WireDict]] = defaultdict(list)
    for each in listed:
        if isinstance(each, dict) and each.get("id"):
            groups[json.dumps(_compared(each), sort_keys=True)].append(each)
    return [group for group in groups.values() if len(group) > 1]


def _compared(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _compared(item) for name, item in value.items() if name not in OF_ONE_OBJECT}
    return [_compared(item) for item in value if not _is_mark(item)] if isinstance(value, list) else value


def _is_mark(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("key") == CREATE_TAG
