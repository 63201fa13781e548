"""Reads the objects in a state file of the vendor's Terraform provider, or in the import file of the server's page."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.values import objects
from pulumi_clouddb.things.roles.api import Roles
from pulumi_clouddb.things.roles.role import ROLE
from pulumi_clouddb.things.user_defined_functions.api import attachment_id

from .names import NO_WISH, Wish
from .terraform_attributes import ONLY_IN_STATE, lost
from .terraform_names import wishes

PREFIX = "clickhouse_"
VERSION = 4
"""The version of state files of OpenTofu, and of Terraform since 0.12."""

_OBSERVABILITY = "clickstack_"

_NAMES = {
    "clickpipe": "Pipe",
    "clickpipe_cdc_infrastructure": "PipeCdcScaling",
    "clickpipes_reverse_private_endpoint": "ReversePrivateEndpoint",
    "clickpipes_ssh_key": "PipeSshKey",
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

NONE = "has no resource in this package; leave it in Terraform, or manage it in the console"

_SYSTEM = (
    "assigns the system role {name}, which no program declares; leave it in Terraform, or name the role in "
    "assignedRoleIds of each Member and ApiKey, and then remove it from Terraform's state"
)


_DEPOSED = (
    "is deposed: a replacement left {id} behind, which the next Terraform apply deletes. Let Terraform delete it, or "
    "keep it: export it with --id, and then run `terraform state rm` of this address"
)
_SHARED = (
    "is exported, but another object has its address, and `terraform state rm` forgets both; when that one is gone, or "
    "exported, remove this one"
)


class Part(NamedTuple):
    """A resource that is a property of another resource here.

    Attributes:
        owner: The Pulumi name of the other resource.
        name: The property.
        attribute: The attribute with the id of the other resource.
    """

    owner: str
    name: str
    attribute: str = "service_id"


PARTS = {
    "service_scheduled_scaling": Part("Service", "scalingSchedule"),
    "service_upgrade_window": Part("Service", "upgradeWindow"),
    "service_clickhouse_settings": Part("Service", "settings"),
    "service_private_endpoints_attachment": Part("Service", "privateEndpointIds"),
    "service_transparent_data_encryption_key_association": Part("Service", "transparentDataEncryptionKeyId"),
    "clickpipes_reverse_private_endpoint_custom_private_dns": Part(
        "ReversePrivateEndpoint", "customPrivateDnsMappings", "reverse_private_endpoint_id"
    ),
    "role_assignment": Part("Role", "actors", "role_id"),
}


@dataclass(frozen=True)
class Managed:
    """An object that Terraform manages, or a part of one.

    Attributes:
        address: Its address, such as `module.shop["eu"].clickhouse_service.main`.
        kind: The Pulumi name of its resource, or of the resource that it is a part of; empty if there is none.
        object_id: The import id of that, with the service id if the state contains it.
        reason: Why it cannot be exported.
        part: The property that it is; empty if it is a whole object.
        uses: The addresses of the resources, without keys, that it refers to.
        lost: What no program can express of it.
        secret: The attribute with a secret that only Terraform's state has; empty if there is none.
        value: That secret.
        in_state: Whether it is in Terraform's state; the import file of the server's page has what is not yet.
    """

    address: str
    kind: str
    object_id: str
    reason: str = ""
    part: str = ""
    uses: frozenset[str] = frozenset()
    lost: tuple[str, ...] = ()
    secret: str = ""
    value: str = field(default="", repr=False)
    in_state: bool = True


def read_state(path: Path) -> list[Managed]:
    """Return the objects of the ClickHouse provider in a state file, or in an import file of the page, in its order.

    Raises:
        ResourceError: It cannot be read, is not a Terraform state, or has no object of the provider.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}", "Specify the path of a state file.") from None
    if blocks := list(_import_blocks(content)):
        return blocks
    try:
        state = json.loads(content)  # of any encoding: a PowerShell redirects in UTF-16
    except (ValueError, RecursionError):
        raise ResourceError(f"{path} is not JSON", _HOW) from None
    if not isinstance(state, dict) or state.get("version") != VERSION or not isinstance(state.get("resources"), list):
        raise ResourceError(f"{path} is not a Terraform state of version {VERSION}", _HOW)
    managed = list(_managed(objects(state["resources"])))
    if not managed:
        raise ResourceError(f"{path} contains no resource of the ClickHouse provider", _HOW)
    return managed


_HOW = "Write the state to a file with `terraform state pull > terraform.tfstate`."


_IMPORT = re.compile(
    r"""^import\ \{\s+to\ =\ (?P<address>clickhouse_(?P<kind>\w+)\.\w+)\s+
    id\ =\ "(?:[0-9a-f]{24}/)?(?P<id>[0-9a-f]{24})"\s+\}""",
    re.MULTILINE | re.VERBOSE | re.IGNORECASE,
)
"""An import block as the page of the observability server writes it (iac.ts of HyperDX), with or without a team."""


def _import_blocks(content: bytes) -> Iterator[Managed]:
    """Yield the objects in the file of the page's "Export to Terraform"."""
    for block in _IMPORT.finditer(content.decode("utf-8", "replace")):
        kind = kind_of(block["kind"])
        yield Managed(block["address"], kind, block["id"].lower() if kind else "", "" if kind else NONE, in_state=False)


def choice_of(managed: Sequence[Managed]) -> dict[tuple[str, str], Wish]:
    """Return the objects to export by kind and id, with their resource names; labels of the page are only ids."""
    whole = [each for each in managed if each.kind and not each.part]
    addresses = {(each.kind, each.object_id): each.address for each in whole if each.in_state}
    return {**{(each.kind, each.object_id): NO_WISH for each in whole}, **wishes(addresses)}


def shared_of(managed: Sequence[Managed]) -> dict[tuple[str, str], frozenset[str]]:
    """Return the inputs of objects that Terraform manages though other resources here can set them, too."""
    shared: dict[tuple[str, str], frozenset[str]] = {}
    for each in managed:
        if each.part and each.part in RESOURCES[each.kind].shared:
            key = each.kind, each.object_id
            shared[key] = shared.get(key, frozenset()) | {each.part}
    return shared


@dataclass(frozen=True)
class Remaining:
    """An object that stays in Terraform."""

    address: str
    reason: str


def compared(
    managed: Sequence[Managed], exported: Collection[tuple[str, str]], system_roles: Mapping[str, str]
) -> tuple[list[str], list[Remaining]]:
    """Return the addresses to remove from Terraform, and the objects that stay.

    A part is removed with its whole: Terraform would destroy it as soon as its configuration, which refers to the
    whole, is deleted. An address that another object has, too, stays: `terraform state rm` forgets all of them.

    Args:
        managed: The objects in the state.
        exported: Kind and id of the exported objects, with and without the service id.
        system_roles: The names of the system's roles, by id.
    """
    done = exported_of(managed, exported)
    others = [each.address for each in managed if each not in done]
    leaving = [each for each in done if not any(_removes(each.address, other) for other in others)]
    left = {_without_keys(each.address) for each in leaving}
    remaining = [
        Remaining(
            each.address,
            "; ".join([_SHARED if each in done else _why(each, system_roles), *_literal_ids(each.uses & left)]),
        )
        for each in managed
        if each not in leaving
    ]
    return [each.address for each in leaving if each.in_state], remaining


def exported_of(managed: Sequence[Managed], exported: Collection[tuple[str, str]]) -> list[Managed]:
    """Return the objects of Terraform that were exported; these are kind and id of all that were."""
    return [each for each in managed if each.kind and (each.kind, each.object_id) in exported]


def system_roles(session: Session, managed: Sequence[Managed]) -> Mapping[str, str]:
    """Return the names of the system's roles by id, if Terraform assigns any role."""
    if not any(each.part and each.kind == ROLE.name for each in managed):
        return {}
    roles = session.try_reading(lambda: session.api.of(Roles).records()) or {}
    return {own_id: str(role.name) for own_id, role in roles.items() if not session.api.of(Roles).can_be_managed(role)}


def _removes(address: str, other: str) -> bool:
    """Return whether `terraform state rm` of an address removes what has another one: all instances of a resource."""
    return other == address or other.startswith(f"{address}[")


def _why(each: Managed, system_roles: Mapping[str, str]) -> str:
    """Return why an object stays in Terraform."""
    if not each.kind:
        return each.reason
    if each.part and each.object_id in system_roles:
        return _SYSTEM.format(name=system_roles[each.object_id])
    if each.part:
        return f"is a part of {RESOURCES[each.kind].type.with_article} that is not exported"
    return f"{each.object_id} is not exported: not found, or omitted above"


def _literal_ids(used: Collection[str]) -> Iterator[str]:
    """Yield what to do with references to resources that leave Terraform."""
    if used:
        yield f"its configuration has to name the ids of {', '.join(sorted(used))} in place of references"


def _managed(resources: Sequence[Mapping[str, Any]]) -> Iterator[Managed]:
    for resource in resources:
        kind = resource.get("type")
        if not isinstance(kind, str) or not kind.startswith(PREFIX) or resource.get("mode") != "managed":
            continue
        where = f"{resource['module']}." if resource.get("module") else ""
        for instance in objects(resource.get("instances")):
            yield _instance(kind.removeprefix(PREFIX), f"{where}{kind}.{resource.get('name')}", instance)


def _instance(kind: str, address: str, instance: Mapping[str, Any]) -> Managed:
    attributes = instance.get("attributes")
    full = _with_index(address, instance.get("index_key"))
    values: Mapping[str, Any] = attributes if isinstance(attributes, Mapping) else {}
    part = PARTS.get(kind)
    name, uses = part.owner if part else kind_of(kind), _texts(instance.get("dependencies"))
    own_id = values.get(part.attribute if part else _IDS.get(kind, "id"), values.get("id"))
    if instance.get("deposed"):
        return Managed(full, "", "", _DEPOSED.format(id=own_id or "an object without an id"), uses=uses)
    if not name:
        return Managed(full, "", "", NONE, uses=uses)
    if not isinstance(own_id, str) or not own_id:
        return Managed(full, "", "", "has no id in the state: its create failed or is still running", uses=uses)
    secret = ONLY_IN_STATE.get(kind, "")
    value = values.get(secret)
    return Managed(
        full,
        name,
        _object_id(name, own_id, values.get("service_id")),
        part=part.name if part else "",
        uses=uses,
        lost=lost(kind, values),
        secret=secret if isinstance(value, str) and value else "",
        value=value if isinstance(value, str) else "",
    )


def _with_index(address: str, key: object) -> str:
    """Return the address of one of several instances, by its number or its key of a `for_each`."""
    return address if key is None else f"{address}[{_quoted(key) if isinstance(key, str) else key}]"


def _object_id(name: str, own_id: str, service_id: object) -> str:
    """Return the id of an object with that of its service, as `pulumi import` takes it."""
    if not isinstance(service_id, str):
        return own_id
    if name == "UdfAttachment":
        return attachment_id(own_id, service_id)
    of_service = RESOURCES[name].collection.LIST.managed.is_of_service
    return f"{service_id}/{own_id}" if of_service and own_id != service_id else own_id


def _texts(values: object) -> frozenset[str]:
    return frozenset(each for each in values if isinstance(each, str)) if isinstance(values, list) else frozenset()


def _quoted(key: str) -> str:
    """Return the key of a `for_each` as Terraform writes it in an address: a string of its configuration language.

    A template (`${`, `%{`) is escaped by doubling its first character (toHCLQuotedString of
    internal/addrs/instance_key.go).
    """
    text = "".join(_ESCAPES.get(each) or (each if each.isprintable() else _codepoint(each)) for each in key)
    return '"' + re.sub(r"([$%])\{", r"\1\1{", text) + '"'


_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t", '"': r"\"", "\\": r"\\"}


def _codepoint(each: str) -> str:
    return f"\\u{ord(each):04x}" if each < "\U00010000" else f"\\U{ord(each):08x}"


def _without_keys(address: str) -> str:
    """Return the address of a resource from that of its instance, as states list dependencies."""
    return re.sub(r'\[(?:\d+|"(?:[^"\\]|\\.)*")\]', "", address)


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
