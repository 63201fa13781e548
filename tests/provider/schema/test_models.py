"""Fields that one model has and another one lacks are listed, as they would otherwise be lost silently."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from codegen.descriptions import description_of
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.annotations import model_in
from pulumi_clouddb.schema.base import Model, Record, extras_of, wire_name, wire_names
from pulumi_clouddb.schema.provisioned import Database, Provisioned
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.thing import answer_of, body_of
from pulumi_clouddb.things.pipes.parts import Scaling
from pulumi_clouddb.things.services.service import Service

TYPES = [handler.type for handler in RESOURCES.values()]
RESPONSES = [
    *(model for each in TYPES for model in (each.record, each.own)),
    *(function.type.result for function in FUNCTIONS.values()),
]

NOT_RETURNED = {
    "Service": {
        *("backupId", "backupEncryptionConfig", "privatePreviewTermsChecked"),
        *("passwordHash", "passwordDoubleSha1Hash", "backupBucketSecret"),
        "stopped",  # is derived from the state
    },
    "Alert": {"dashboardId"},  # responses have it as `dashboard`, or under its name in requests
    "ByocInfrastructure": {
        *("availabilityZoneSuffixes", "externalId", "publicSubnetIds"),
        *("servicePrincipalClientId", "tenantId"),
    },
    "Webhook": {"headers", "queryParams"},
    "Connection": {"password"},
    "Pipe": {"credentials", "startPaused", "stopped"},  # the latter is derived from the state
}
"""Inputs that are sent, and that no response contains."""

AT_CREATION_ONLY = {"privatePreviewTermsChecked"}
"""Inputs of a service that no update sends, and that do not replace the service either."""


def records(models: list[type[Record]]) -> set[type[Record]]:
    """Return these models and all nested records."""
    seen: set[type[Record]] = set()
    waiting: list[type[Model] | None] = [*models]
    while waiting:
        model = waiting.pop()
        if model is not None and issubclass(model, Record) and (model := answer_of(model)) not in seen:
            seen.add(model)
            waiting += [model_in(info.annotation) for info in model.model_fields.values()]  # type: ignore[misc]
    return seen


def limited(models: list[type[Record]]) -> Iterator[str]:
    """Yield the fields whose descriptions contain a limit."""
    for model in records(models):
        for attribute in model.model_fields:
            if "Must " in (text := description_of(model, attribute)):
                yield f"{model.__name__}.{attribute}: {text}"


def test_response_fields_have_no_limits() -> None:
    """A field that breaks its limit would be dropped from a response, and its drift would be missed."""
    assert sorted(limited(RESPONSES)) == []


@pytest.mark.parametrize("type_", TYPES, ids=lambda type_: type_.name)
def test_sent_fields_are_read(type_: ResourceType) -> None:
    """A field that responses lack cannot show drift."""
    read = {*wire_names(type_.record), *wire_names(Scaling if type_.name == "PipeScaling" else Record)}
    sent = {*wire_names(type_.inputs)} - {*type_.provider_only, *type_.state_inputs}
    assert sent - read == NOT_RETURNED.get(type_.name, set()), "NOT_RETURNED of this module"


def test_each_input_of_a_service_is_updated_or_replaces() -> None:
    """A change of another input would be shown, but never sent."""
    model = body_of(Service)
    extras = {wire_name(model, attribute): extras_of(model, attribute) for attribute in model.model_fields}
    neither = {name for name, each in extras.items() if not each.get("groups") and not each.get("replaces")}
    assert neither == AT_CREATION_ONLY


@pytest.mark.parametrize(
    "type_", [each for each in TYPES if issubclass(each.thing, Provisioned)], ids=lambda it: it.name
)
def test_descriptions_of_a_wait_are_complete(type_: ResourceType) -> None:
    """A thing that is waited for states when it is ready (READY), and the meaning of its `lastError` (UNREADY)."""
    fields = {*Provisioned.model_fields, *Database.model_fields} & {*type_.thing.model_fields}
    descriptions = {each: extras_of(type_.thing, each).get("words", "") for each in sorted(fields)}
    assert {each: words for each, words in descriptions.items() if not words or "$" in words} == {}
