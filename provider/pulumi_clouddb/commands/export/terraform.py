"""Reads the objects in a state file of the vendor's Terraform provider."""

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
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.udfs.api import attachment_id

from .names import slug

PREFIX = "clickhouse_"
VERSION = 4
"""The version of state files of OpenTofu, and of Terraform since 0.12."""

_OBSERVABILITY = "clickstack_"

_NAMES = {
    "clickpipe": "Pipe",
    "clickpipe_cdc_infrastructure": "PipeCdcScaling",
    "clickpipes_reverse_private_endpoint": "ReversePrivateEndpoint",
    "clickstack_role": "StackRole",
    "private_endpoint_registration": "PrivateEndpoint",
    "udf": "UserDefinedFunction",
}
"""Resources whose names differ from ours."""

_IDS = {
    "clickpipe_cdc_infrastructure": "service_id",
    "private_endpoint_registration": "private_endpoint_id",
    "udf": "function_name",
    "udf_attachment": "function_name",
}
"""Attributes with the ids of objects, if it is not `id`."""

_NONE = "has no resource in this package; leave it in Terraform, or manage it in the console"

_OF_SERVICE = ("Pipe", "ReversePrivateEndpoint")
"""Resources whose ids are unique only within their service."""

PARTS = {
    "service_scheduled_scaling": ("Service", "scalingSchedule"),
    "service_upgrade_window": ("Service", "upgradeWindow"),
    "service_private_endpoints_attachment": ("Service", "privateEndpointIds"),
    "service_transparent_data_encryption_key_association": ("Service", "transparentDataEncryptionKeyId"),
    "clickpipes_reverse_private_endpoint_custom_private_dns": ("ReversePrivateEndpoint", "customPrivateDnsMappings"),
    "role_assignment": ("Role", "actors"),
}
"""Resources that are a property of another resource here, with its Pulumi name and the property."""

_LEFT_OUT = ("service_private_endpoints_attachment", "role_assignment")
"""Those among `PARTS` whose property an export leaves out, as other resources can set the same."""


@dataclass(frozen=True)
class Managed:
    """An object that Terraform manages.

    Attributes:
        address: Its address, such as `module.shop["eu"].clickhouse_service.main`.
        kind: The Pulumi name of its resource; empty if there is none.
        object_id: Its import id, with the service id if the state contains it.
        reason: Why it cannot be exported.
    """

    address: str
    kind: str
    object_id: str
    reason: str = ""

    @property
    def name(self) -> str:
        """The resource name of the object: the address without the type."""
        parts = re.sub(r"\b(module|clickhouse_\w+)\.", "", self.address)
        return slug(parts) or slug(self.kind)


def read_state(path: Path) -> list[Managed]:
    """Return the objects of the ClickHouse provider in a state file, in its order.

    Raises:
        ResourceError: It cannot be read, is not a Terraform state, or has no object of the provider.
    """
    try:
        state = json.loads(path.read_bytes())  # of any encoding: a PowerShell redirects in UTF-16
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}", "Give the path of a state file.") from None
    except (ValueError, RecursionError):
        raise ResourceError(f"{path} is not JSON", _HOW) from None
    if not isinstance(state, dict) or state.get("version") != VERSION or not isinstance(state.get("resources"), list):
        raise ResourceError(f"{path} is not a Terraform state of version {VERSION}", _HOW)
    managed = list(_managed(objects(state["resources"])))
    if not managed:
        raise ResourceError(f"{path} contains no resource of the ClickHouse provider", _HOW)
    return managed


_HOW = "Write the state to a file with `terraform state pull > terraform.tfstate`."


def choice_of(managed: Sequence[Managed]) -> dict[tuple[str, str], str]:
    """Return the objects to export by kind and id, with their resource names."""
    return {(each.kind, each.object_id): each.name for each in managed if each.kind}


@dataclass(frozen=True)
class Remaining:
    """An object that stays in Terraform."""

    address: str
    reason: str


def compared(managed: Sequence[Managed], exported: Collection[tuple[str, str]]) -> tuple[list[str], list[Remaining]]:
    """Return the addresses to remove from Terraform, and the objects that stay.

    Args:
        managed: The objects in the state.
        exported: Kind and id of the exported objects, with and without the service id.
    """
    removed: list[str] = []
    remaining: list[Remaining] = []
    for each in managed:
        if not each.kind:
            remaining.append(Remaining(each.address, each.reason))
        elif (each.kind, each.object_id) not in exported:
            reason = f"{each.object_id} is not exported: not found, or omitted above"
            remaining.append(Remaining(each.address, reason))
        else:
            removed.append(each.address)
    return removed, remaining


def _managed(resources: Sequence[Mapping[str, Any]]) -> Iterator[Managed]:
    for resource in resources:
        kind = resource.get("type")
        if not isinstance(kind, str) or not kind.startswith(PREFIX) or resource.get("mode") != "managed":
            continue
        where = f"{resource['module']}." if resource.get("module") else ""
        for instance in objects(resource.get("instances")):
            yield _instance(kind.removeprefix(PREFIX), f"{where}{kind}.{resource.get('name')}", instance)


def _instance(kind: str, address: str, instance: Mapping[str, Any]) -> Managed:
    key, values = instance.get("index_key"), instance.get("attributes")
    full = address if key is None else f"{address}[{json.dumps(key, ensure_ascii=False)}]"
    if instance.get("deposed"):
        return Managed(full, "", "", "is deposed: the next Terraform apply deletes it")
    name = kind_of(kind)
    object_id = values.get(_IDS.get(kind, "id")) if isinstance(values, Mapping) else None
    if not name:
        return Managed(full, "", str(object_id or ""), _no_resource(kind))
    if not isinstance(object_id, str) or not object_id:
        return Managed(full, "", "", "has no id in the state: its create failed or is still running")
    service_id = values.get("service_id") if isinstance(values, Mapping) else None
    of_service = name in _OF_SERVICE and isinstance(service_id, str)
    if name == "UdfAttachment" and isinstance(service_id, str):
        object_id = attachment_id(object_id, service_id)
    return Managed(full, name, f"{service_id}/{object_id}" if of_service else object_id)


def _no_resource(kind: str) -> str:
    if kind not in PARTS:
        return _NONE
    owner, name = PARTS[kind]
    how = f"add {name} to the program, or it stays unmanaged" if kind in _LEFT_OUT else f"the program sets {name}"
    return f"is a part of {owner} here: remove both from Terraform together; {how}"


def kind_of(kind: str) -> str:
    """Return the Pulumi name of the resource for the same objects; empty if there is none.

    Args:
        kind: The type in Terraform, without `clickhouse_`.
    """
    for name, resource in RESOURCES.items():
        is_observability = resource.collection.LIST.self_hosted.server_kind is ServerKind.SELF_HOSTED
        if kind == f"{_OBSERVABILITY if is_observability else ''}{resource.type.snake_name}":
            return name
    return _NAMES.get(kind, "")
