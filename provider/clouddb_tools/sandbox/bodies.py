"""Request bodies: parsing, validation, and models of the bodies that differ from the package's own models.

These models are derived from the package's own, so that no limit is written twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cache
from typing import Any

from pydantic import BaseModel, create_model
from pydantic_core import from_json

from pulumi_clouddb.schema.base import FilledText, Model, Text, prop, wire_name, wire_names
from pulumi_clouddb.schema.check.findings import Failure, failures_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.common import IpAccessEntry
from pulumi_clouddb.schema.convert import fields_of
from pulumi_clouddb.schema.tags import MAX_TAGS, ServiceTag
from pulumi_clouddb.schema.thing import Thing, body_of
from pulumi_clouddb.schema.values import UNKNOWN, show_path, whole_numbers
from pulumi_clouddb.schema.view import view_of
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.api_keys.api_key import ApiKey
from pulumi_clouddb.things.services.rules import BAND_RULES
from pulumi_clouddb.things.services.service import BASIC_DETAILS, REPLICA_SCALING, TOTAL_SCALING, Service

from .responses import InvalidBodyError, bad_request

Path = tuple[str | int, ...]


def parse_json(raw: bytes | str) -> Any:
    """Parse a JSON text.

    Raises:
        ValueError: The text is not JSON, or its value cannot be stored and returned: it contains NaN, a number that no
            float represents, half of a surrogate pair, or more than 200 levels of nesting.
    """
    value = from_json(raw, allow_inf_nan=False)
    json.dumps(value, allow_nan=False)  # from_json reads 1e400 as infinity
    return value


def body_with(thing: type[Thing], **fields: tuple[Any, Any]) -> type[Model]:
    """Return the body of a thing with some fields replaced; `fields` are pairs of type and `prop`, by attribute."""
    declared: dict[str, Any] = fields
    return create_model(f"{thing.__name__}Body", __base__=body_of(thing), **declared)


def part_of(model: type[Model], names: Iterable[str], **more: tuple[Any, Any]) -> type[Model]:
    """Return a model of some fields of `model`, all optional, with their types and limits.

    Args:
        model: The model that declares the fields.
        names: Wire names of the fields.
        more: Additional fields as pairs of type and `prop`, by attribute.
    """
    wanted = set(names)
    fields: dict[str, tuple[Any, Any]] = {}
    for attribute, info in model.model_fields.items():
        if wire_name(model, attribute) in wanted:
            optional = copy(info)
            optional.default = None
            fields[attribute] = (info.annotation, optional)
    return create_model(f"PartOf{model.__name__}", __base__=Model, **{**fields, **more})  # type: ignore[call-overload,no-any-return]


@cache
def optional(model: type[Model]) -> type[Model]:
    """Return a model with the same fields, all optional, for updates that keep the fields they omit."""
    return part_of(model, wire_names(model))


def checked(
    model: type[Model],
    body: Any,
    *,
    nullable: Iterable[str] = (),
    ruled: type[Model] | None = None,
    context: RuleContext | None = None,
    drop_unknown: bool = False,
) -> dict[str, Any]:
    """Return the validated body, with whole numbers as int.

    Args:
        model: The model of the body.
        body: The parsed JSON; None, an absent body, is treated as an empty object.
        nullable: Top-level fields that may be null, as the interface documents them.
        ruled: The model whose cross-field rules apply, if any.
        context: The context of these rules.
        drop_unknown: Whether unknown properties are dropped, as on the vendor's servers, instead of refused.

    Raises:
        InvalidBodyError: The body breaks limits or rules; the error lists all of them.
    """
    if body is None:
        body = {}
    if not isinstance(body, dict):
        raise bad_request("request body must be an object")
    if drop_unknown:
        body = known_of(model, body)
    failures = failures_of(model, body, context, ruled=ruled)
    failures += [Failure(show_path(path), "must not be null") for path in _nulls(body, set(nullable))]
    if failures:
        raise InvalidBodyError(failures)
    cleaned: dict[str, Any] = whole_numbers(body)
    return cleaned


def known_of(model: type[BaseModel] | None, value: Any) -> Any:
    """Return a value without the properties that its model, at any depth, does not declare."""
    if isinstance(value, list):
        return [known_of(model, each) for each in value]
    if model is None or not isinstance(value, dict):
        return value
    return {name: known_of(nested, value[name]) for name, _, nested in fields_of(model) if name in value}


def broken_rules(model: type[Model], fields: Mapping[str, Any], changed: Iterable[str], context: RuleContext) -> None:
    """Refuse a change that breaks a rule about one of the changed fields."""
    after = view_of(model, fields, context=context)
    unchanged = view_of(model, {**fields, **dict.fromkeys(changed, UNKNOWN)}, context=context)
    failures = [
        Failure(rule.path, reason)
        for rule in model.RULES
        if (reason := rule.failure(after)) and not rule.failure(unchanged)
    ]
    if failures:
        raise InvalidBodyError(failures)


def _nulls(value: Any, nullable: set[str], path: Path = ()) -> Iterator[Path]:
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        # `config` is stored unchanged, and its nulls are not validated here.
        items = [(key, item) for key, item in value.items() if key != "config"]
    elif isinstance(value, list):
        items = enumerate(value)
    for key, item in items:
        if item is None and not (not path and key in nullable):
            yield (*path, key)
        yield from _nulls(item, nullable, (*path, key))


# -- services ---------------------------------------------------------------------------------------------------------


class PasswordChange(Model):
    """Body of the password operation; without a hash the server generates a password."""

    new_password_hash: Text | None = prop("Base64 of the SHA-256 of the new password.", secret=True)
    new_double_sha1_hash: Text | None = prop(
        "Hex of the double SHA-1 of the new password, for mysql; ignored without the SHA-256.", secret=True
    )


class IpListChange(Model):
    """Change of the IP list; removals are applied before additions."""

    add: list[IpAccessEntry] | None = prop("Entries to add; an entry replaces one with the same source.")
    remove: list[IpAccessEntry] | None = prop("Entries to remove, identified by source.")


class EndpointIdsChange(Model):
    """Change of the private endpoints; removals are applied before additions."""

    add: list[FilledText] | None = prop("Ids to add.")
    remove: list[FilledText] | None = prop("Ids to remove.")


class TagsChange(Model):
    """Change of the tags; removals are applied before additions (OpenAPI: `InstanceTagsPatch`)."""

    add: list[ServiceTag] | None = prop("Tags to add; a tag replaces one with the same key.", max_length=MAX_TAGS)
    remove: list[ServiceTag] | None = prop("Tags to remove, identified by key.", max_length=MAX_TAGS)


@cache
def create_body(limits: type[Model]) -> type[Model]:
    """Return the model of a create's body, with the limits of `limits`."""
    return part_of(limits, wire_names(body_of(Service)))


@cache
def basic_details(limits: type[Model]) -> type[Model]:
    """Return the model of a basic-details update, with the limits of `limits`."""
    return part_of(
        limits,
        BASIC_DETAILS,
        ip_access_list=(IpListChange | None, prop("Change of the IP list.")),
        private_endpoint_ids=(EndpointIdsChange | None, prop("Change of the private endpoints.")),
        tags=(TagsChange | None, prop("Change of the tags.", only=CLICKHOUSE)),
    )


ReplicaScaling = part_of(body_of(Service), REPLICA_SCALING)
ReplicaScaling.RULES = BAND_RULES
TotalScaling = part_of(body_of(Service), TOTAL_SCALING)


# -- keys -------------------------------------------------------------------------------------------------------------

_SHA256 = r"^[A-Za-z0-9+/]{43}=$"


class HashDataBody(Model):
    """Hashes of credentials that the client generated (OpenAPI: `ApiKeyHashData`)."""

    key_id_hash: Text = prop("Base64 of the SHA-256 of the key id.", required=True, pattern=_SHA256)
    key_id_suffix: Text = prop("Last four characters of the key id.", required=True, min_length=4, max_length=4)
    key_secret_hash: Text = prop(
        "Base64 of the SHA-256 of the key secret.", required=True, secret=True, pattern=_SHA256
    )


HASHED_KEY_BODY = body_with(ApiKey, hash_data=(HashDataBody | None, prop("Hashes of the key id and the key secret.")))
"""Body of a create in the clickhouse dialect."""
