"""The resources and attributes of the official Terraform provider, with their counterparts here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic.alias_generators import to_camel, to_snake

from clouddb_tools.commands.export.terraform import PARTS, PREFIX, kind_of
from clouddb_tools.commands.export.terraform_attributes import COUNTERPARTS, Counterpart
from pulumi_clouddb.registry import FUNCTIONS

from .docs import table
from .names import Json, base_name, named_type

VERSION = "3.33.0"
"""The newest version when its documentation was read, in October 2026; a few pages are of the version after it."""

PAGES = "https://registry.terraform.io/providers/ClickHouse/clickhouse/latest/docs"

RESOURCES: Sequence[str] = (
    "service",
    "service_scheduled_scaling",
    "service_upgrade_window",
    "service_clickhouse_settings",
    "service_private_endpoints_attachment",
    "service_transparent_data_encryption_key_association",
    "private_endpoint_registration",
    "organization_settings",
    "byoc_infrastructure",
    "api_key",
    "invitation",
    "role",
    "role_assignment",
    "clickpipe",
    "clickpipe_cdc_infrastructure",
    "clickpipes_reverse_private_endpoint",
    "clickpipes_reverse_private_endpoint_custom_private_dns",
    "clickpipes_ssh_key",
    "query_api_endpoint",
    "saved_query",
    "postgres_service",
    "udf",
    "udf_attachment",
    "clickstack_alert",
    "clickstack_connection",
    "clickstack_dashboard",
    "clickstack_role",
    "clickstack_saved_search",
    "clickstack_source",
    "clickstack_source_links",
    "clickstack_team",
    "clickstack_team_member",
    "clickstack_webhook",
)
"""Its resources, without `clickhouse_`: the pages of docs/resources in its repository."""

DATA_SOURCES: Mapping[str, Sequence[str]] = {
    "service": ("getService",),
    "services": ("listServices",),
    "private_endpoint_config": ("getPrivateEndpointConfig",),
    "role": ("getRole",),
    "roles": ("listRoles",),
    "user": ("getMember",),
    "users": ("listMembers",),
    "service_profiles": ("listServiceProfiles",),
    "byoc_infrastructures": ("listByocInfrastructures",),
    "byoc_infrastructure": ("getByocInfrastructure", "getByocPrivateEndpointConfig"),
    "clickpipes_service_context": ("getPipeServiceContext",),
    "clickstack_dashboard": ("getDashboard",),
    "clickstack_role": ("getStackRole",),
    "api_key_id": (),
    "postgres_service": ("getPostgresService",),
    "postgres_services": ("listPostgresServices",),
    "postgres_service_ca_certificates": ("getPostgresCertificates",),
}
"""Its data sources, with the functions here that read the same objects, if any."""


ATTRIBUTES: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads(
    Path(__file__).with_name("terraform_attributes.json").read_text(encoding="utf-8")
)
"""The attributes of the resources that have a counterpart here, nested ones with dots, with their forms: inputs
(`given`) and outputs (`answered`). From the same pages; sets are lists."""

ELSEWHERE = {"id", "service_id", "role_id", "reverse_private_endpoint_id"}
"""Attributes that contain the resource's id, or the id of the resource that has the property."""


def counterparts(_: Json) -> str:
    """Return a table of all its resources with their counterparts."""
    return table(
        ["Terraform", "Here"], [[f"[`{PREFIX}{name}`]({PAGES}/resources/{name})", _here(name)] for name in RESOURCES]
    )


def _here(name: str) -> str:
    if kind := kind_of(name):
        return f"[`{kind}`](reference/{to_snake(kind)}.md)"
    if name in PARTS:
        owner, attribute, _ = PARTS[name]
        return f"`{attribute}` of [`{owner}`](reference/{to_snake(owner)}.md)"
    return "none"


def data_sources(_: Json) -> str:
    """Return a table of all its data sources with the functions here that read the same."""
    rows = [
        [f"[`{PREFIX}{name}`]({PAGES}/data-sources/{name})", ", ".join(map(_function, ours)) or "none"]
        for name, ours in DATA_SOURCES.items()
    ]
    return table(["Terraform", "Here"], rows)


def _function(name: str) -> str:
    if name not in FUNCTIONS:
        raise LookupError(f"{name} is not a function; mend DATA_SOURCES in tools/codegen/terraform.py")
    return f"[`{name}`](reference/functions/{to_snake(name)}.md)"


def attributes(schema: Json) -> str:
    """Return a table of the attributes that have another name or form here, or none.

    Raises:
        LookupError: An attribute has neither a property of its name and form here, nor an entry in the table; or an
            entry names an attribute or a property that does not exist.
    """
    rows = []
    for name, roles in ATTRIBUTES.items():
        kind = kind_of(name) or PARTS[name].owner
        others = COUNTERPARTS.get(name, {})
        spec = schema["resources"][f"clouddb:index:{kind}"]
        every = {**spec["properties"], **spec["inputProperties"]}
        forms = {**roles["given"], **roles["answered"]}
        for attribute in others.keys() - forms.keys():
            raise LookupError(f"{PREFIX}{name} has no attribute {attribute}; mend {COUNTERPARTS_FILE}")
        for attribute, form in forms.items():
            if attribute not in ELSEWHERE:
                given = attribute in roles["given"] and attribute not in others
                _compare(attribute, form, others, _Place(schema, name, spec["inputProperties"] if given else every))
        for attribute, each in others.items():
            here = ", ".join(filter(None, [f"`{each.path}`" if each.path else "", each.note]))
            rows.append([f"`{PREFIX}{name}`", f"`{attribute}`", here])
    return table(["Resource", "Attribute", "Here"], rows)


COUNTERPARTS_FILE = "commands/export/terraform_attributes.py"


@dataclass(frozen=True)
class _Place:
    """The properties of the resource here, among which an attribute of a resource of Terraform is."""

    schema: Json
    name: str
    properties: Json


def _compare(attribute: str, form: str, others: Mapping[str, Counterpart], place: _Place) -> None:
    """Raise an error if an attribute is neither a property of the same form, nor explained."""
    entry = others.get(attribute)
    above = max((each for each in others if _within(attribute, each)), key=len, default=None)
    if entry is not None:
        path, explained = entry.path, entry.note
    elif above is not None:
        whole = others[above]
        path, explained = f"{whole.path}.{_here_named(attribute[len(above) + 1 :])}", ""
        if not whole.path or "object" not in _forms(place.schema, _find(whole.path, place)) - {"map"}:
            return  # what is below it has another form, too
    else:
        path, explained = _here_named(attribute), ""
    forms = _forms(place.schema, _find(path, place)) if path else {form}
    if not explained and form != ANY and forms.isdisjoint({form, ANY}):
        raise LookupError(
            f"{PREFIX}{place.name}: {attribute} is of the form {form}, and {path} here is not; mend {COUNTERPARTS_FILE}"
        )


ANY = "any"
"""The form of an attribute or property that can have any."""


def _forms(schema: Json, prop: Json) -> set[str]:
    """Return the forms that a property can have, in the words of the file with the attributes."""
    if "oneOf" in prop:
        return {form for each in prop["oneOf"] for form in _forms(schema, each)}
    reference = str(prop.get("$ref", ""))
    if reference.startswith("#/types/"):
        kind = str(named_type(schema, base_name(reference)).get("type", "object"))
    elif reference:
        return {ANY}
    else:
        kind = str(prop["type"])
        kind = "map" if kind == "object" else kind
    if kind == "array":
        return {"objects"} if _forms(schema, prop["items"]) == {"object"} else {"list"}
    return {"number" if kind == "integer" else kind}


def _within(attribute: str, other: str) -> bool:
    return attribute == other or attribute.startswith(f"{other}.")


def _here_named(attribute: str) -> str:
    return ".".join(to_camel(part) for part in attribute.split("."))


def _find(path: str, place: _Place) -> Json:
    """Return the property of that path.

    Raises:
        LookupError: There is none.
    """
    properties, found = place.properties, {}
    for part in path.split("."):
        if part not in properties:
            raise LookupError(f"{PREFIX}{place.name}: {path} is not a property here; mend {COUNTERPARTS_FILE}")
        found = properties[part]
        types = [named_type(place.schema, each) for each in _direct([{"only": found}])]
        properties = {key: value for each in types for key, value in each.get("properties", {}).items()}
    return found


def _direct(value: Any) -> Iterator[str]:
    """Yield the names of the types to which a property refers directly."""
    if isinstance(value, list):
        for item in value:
            yield from _direct(item)
    elif isinstance(value, dict):
        if str(value.get("$ref", "")).startswith("#/types/"):
            yield base_name(value["$ref"])
        for item in value.values():
            yield from _direct(item)
