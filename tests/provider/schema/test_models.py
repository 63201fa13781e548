"""Fields that one model has and another one lacks are listed, as they would otherwise be lost silently."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from codegen.descriptions import description_of
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.annotations import class_in, model_in
from pulumi_clouddb.schema.base import Model, Record, extras_of, wire_name, wire_names
from pulumi_clouddb.schema.check.texts import kinds_in
from pulumi_clouddb.schema.defaults import languages_of, models_in
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


UNLIKE_NAMES = re.compile(
    r"([a-z]Expression|[sS]ql\w*|[tT]emplate|[cC]ondition|[dD]escription|[cC]ertificate|[mM]arkdown)\Z"
)
"""The names of texts to which blanks and quotes belong."""


def text_names(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """Yield the texts of a model and of the objects in it that have the type of a name, and by their names are none."""
    if model in seen:
        return
    seen.add(model)
    of_language = set(languages_of(model).values())
    for attribute, info in model.model_fields.items():
        name = wire_name(model, attribute)
        is_name = class_in(info.annotation, str) is str and name not in kinds_in(model)
        if is_name and (name in of_language or UNLIKE_NAMES.search(name)):
            yield f"{model.__name__}.{attribute}"
    for inner in models_in(model).values():
        yield from text_names(inner, seen)


def test_texts_say_what_they_are() -> None:
    """A text that is code or prose has its type (schema/base.py): check doubts blanks and quotes of others."""
    seen: set[type[BaseModel]] = set()
    assert [name for each in TYPES for name in text_names(each.inputs, seen)] == []
