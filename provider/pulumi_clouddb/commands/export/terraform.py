"""Reads the state of the vendor's official Terraform provider: which objects it manages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.udfs.api import attachment_id

from .names import slug

PREFIX = "clickhouse_"
VERSION = 4
"""The version of state files that Terraform has written since 0.12, and OpenTofu."""

_OBSERVABILITY = "clickstack_"

_NAMES = {
    "clickpipe": "Pipe",
    "clickpipe_cdc_infrastructure": "PipeCdcScaling",
    "clickpipes_reverse_private_endpoint": "ReversePrivateEndpoint",
    "clickstack_role": "StackRole",
    "private_endpoint_registration": "PrivateEndpoint",
    "udf": "UserDefinedFunction",
}
"""Resources of another name; the others have that of ours."""

_IDS = {
    "clickpipe_cdc_infrastructure": "service_id",
    "private_endpoint_registration": "private_endpoint_id",
    "udf": "function_name",
    "udf_attachment": "function_name",
}
"""The attributes with the ids of objects, where it is not `id`."""

_NONE = "has no resource in this package; leave it in Terraform, or manage it in the console"

_OF_SERVICE = ("Pipe", "ReversePrivateEndpoint")
"""Resources whose ids mean something within the service that the state names."""

PARTS = {
    "service_scheduled_scaling": ("Service", "scalingSchedule"),
    "service_upgrade_window": ("Service", "upgradeWindow"),
    "service_private_endpoints_attachment": ("Service", "privateEndpointIds"),
    "service_transparent_data_encryption_key_association": ("Service", "transparentDataEncryptionKeyId"),
    "clickpipes_reverse_private_endpoint_custom_private_dns": ("ReversePrivateEndpoint", "customPrivateDnsMappings"),
    "role_assignment": ("Role", "actors"),
}
"""Resources that are a property of another resource here: its Pulumi name, and the property."""


@dataclass(frozen=True)
class Managed:
    """An object that Terraform manages.

    Attributes:
        address: Its address, such as `module.shop["eu"].clickhouse_service.main`.
        kind: The Pulumi name of its resource; empty where there is none.
        object_id: Its id as an import takes it, with the service before it where the state tells it.
        reason: Why it has no counterpart.
    """

    address: str
    kind: str
    object_id: str
    reason: str = ""

    @property
    def name(self) -> str:
        """The name that the resource of the object gets: the address without the type."""
        parts = re.sub(r"\b(module|clickhouse_\w+)\.", "", self.address)
        return slug(parts) or slug(self.kind)


def read_state(path: Path) -> list[Managed]:
    """Return what a state file says that the provider manages, in its order.

    Raises:
        ResourceError: It cannot be read, or is no state of Terraform, or holds nothing of the provider.
    """
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}", "Name the state file.") from None
    except ValueError:
        raise ResourceError(f"{path} is not JSON", _HOW) from None
    if not isinstance(state, dict) or state.get("version") != VERSION or not isinstance(state.get("resources"), list):
        raise ResourceError(f"{path} is not a state of Terraform of version {VERSION}", _HOW)
    managed = list(_managed(state["resources"]))
    if not managed:
        raise ResourceError(f"{path} holds no resource of the ClickHouse provider", _HOW)
    return managed


_HOW = "Write the state into a file with `terraform state pull > terraform.tfstate`."


def choice_of(managed: Sequence[Managed]) -> dict[tuple[str, str], str]:
    """Return the objects to export, by kind and id, with the names of their resources."""
    return {(each.kind, each.object_id): each.name for each in managed if each.kind}


@dataclass(frozen=True)
class Left:
    """An object that stays with Terraform, at least in part."""

    address: str
    reason: str


def compared(managed: Sequence[Managed], taken: Collection[tuple[str, str]]) -> tuple[list[str], list[Left]]:
    """Return the addresses that Terraform has to forget, and what stays with it.

    Args:
        managed: What the state says.
        taken: Kind and id of what was exported, with and without the service before the id.
    """
    forgotten: list[str] = []
    left: list[Left] = []
    for each in managed:
        if not each.kind:
            left.append(Left(each.address, each.reason))
        elif (each.kind, each.object_id) not in taken:
            left.append(Left(each.address, f"{each.object_id} is not exported: not found, or left out above"))
        else:
            forgotten.append(each.address)
    return forgotten, left


def _managed(resources: Sequence[Any]) -> Iterator[Managed]:
    for resource in resources:
        kind = resource.get("type") if isinstance(resource, Mapping) else None
        if not isinstance(kind, str) or not kind.startswith(PREFIX) or resource.get("mode") != "managed":
            continue
        where = f"{resource['module']}." if resource.get("module") else ""
        for instance in resource.get("instances", ()):
            yield _instance(kind.removeprefix(PREFIX), f"{where}{kind}.{resource.get('name')}", instance)


def _instance(kind: str, address: str, instance: Mapping[str, Any]) -> Managed:
    key, values = instance.get("index_key"), instance.get("attributes")
    full = address if key is None else f"{address}[{json.dumps(key)}]"
    if instance.get("deposed"):
        return Managed(full, "", "", "is deposed: Terraform will delete it with its next apply")
    ours = kind_of(kind)
    object_id = values.get(_IDS.get(kind, "id")) if isinstance(values, Mapping) else None
    if not ours:
        return Managed(full, "", str(object_id or ""), _without_counterpart(kind))
    if not isinstance(object_id, str) or not object_id:
        return Managed(full, "", "", "has no id in the state: its create has failed or is under way")
    service_id = values.get("service_id") if isinstance(values, Mapping) else None
    of_service = ours in _OF_SERVICE and isinstance(service_id, str)
    if ours == "UdfAttachment" and isinstance(service_id, str):
        object_id = attachment_id(object_id, service_id)
    return Managed(full, ours, f"{service_id}/{object_id}" if of_service else object_id)


def _without_counterpart(kind: str) -> str:
    if kind not in PARTS:
        return _NONE
    owner, name = PARTS[kind]
    return f"is a part of {owner} here: take it out of Terraform with that one, whose program sets {name}"


def kind_of(kind: str) -> str:
    """Return the Pulumi name of the resource that manages the same objects, or an empty text.

    Args:
        kind: The type in Terraform, without `clickhouse_`.
    """
    name = kind.removeprefix(_OBSERVABILITY)
    for ours, resource in RESOURCES.items():
        is_observability = resource.collection.LIST.self_hosted.server_kind is ServerKind.SELF_HOSTED
        if resource.type.snake_name == name and kind.startswith(_OBSERVABILITY) == is_observability:
            return ours
    return _NAMES.get(kind, "")
