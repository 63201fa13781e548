"""Descriptions of properties: the text written by hand, and sentences for the rest of the declaration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from itertools import groupby
from typing import Any

from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticUndefined, core_schema

from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.annotations import shape_of
from pulumi_clouddb.schema.base import Model, extras_of, wire_name
from pulumi_clouddb.schema.check.within import Within
from pulumi_clouddb.schema.check.wording import LIMITS, Form, constraint_of, limits_in
from pulumi_clouddb.schema.choice import Choice, OpenChoice
from pulumi_clouddb.schema.values import whole_numbers
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName

MOST_VALUES = 5
"""A description lists at most this many values of an enum; the type lists all of them."""


class DescribedSchema(GenerateJsonSchema):
    """Generates the JSON schema of a model, with the description of each property."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        """Return the schema of one model."""
        document = super().model_schema(schema)
        model = schema["cls"]
        if issubclass(model, Model):
            for attribute in model.model_fields:
                if text := description_of(model, attribute):
                    document["properties"][wire_name(model, attribute)]["description"] = text
        return document


def description_of(model: type[Model], attribute: str) -> str:
    """Return the description of a property; empty if it is declared without words."""
    info, extras = model.model_fields[attribute], extras_of(model, attribute)
    if "words" not in extras:
        return ""
    sentences = [extras["words"]]
    if "taken_out" in extras:
        sentences.append(f"If removed, {extras['taken_out']}.")
    limits = _limits(model, info)
    usual = _limits(model, _vendors(model).model_fields.get(attribute, info))
    sentences += usual
    sentences += [f"In the dialect `neutral` {each[0].lower()}{each[1:]}" for each in limits if each not in usual]
    sentences += [f"In the dialect `neutral` {each}." for each in _of_rules(model, info, VocabularyName.NEUTRAL)]
    if info.default is not None and info.default is not PydanticUndefined:
        sentences.append(f"Default: {_shown(info.default)}.")
    elif "unset" in extras:
        (value,) = extras["unset"]
        words = value if type(value) is str else _shown(value)
        sentences.append(f"{'Default' if 'provider_only' in extras else 'Server default'}: {words}.")
    return " ".join(sentences)


def _vendors(model: type[Model]) -> type[Model]:
    """Return the model with the limits of the vendor's servers, if they are wider."""
    for resource in (handler.type for handler in RESOURCES.values()):
        if resource.wider and model in (resource.inputs, resource.state):
            return resource.wider
    return model


def _limits(model: type[Model], info: FieldInfo) -> list[str]:
    """Return the limits of a property on the vendor's servers, as sentences."""
    return [*_of_type(info), *_of_limits(info), *map(_sentence, _of_rules(model, info, CLICKHOUSE))]


def described_in(
    annotation: object, metadata: Iterable[object] = (), in_list: bool = False
) -> Iterator[tuple[object, bool]]:
    """Yield the classes and metadata of a type, and whether each is about the elements of a list."""
    shape = shape_of(annotation)
    yield from ((part, in_list) for part in (*metadata, *shape.metadata))
    yield shape.kind, in_list
    if shape.kind is list:
        yield from described_in(shape.inner[0], in_list=True)


def _of_type(info: FieldInfo) -> Iterator[str]:
    for part, in_list in described_in(info.annotation, info.metadata):
        if isinstance(part, Form):
            yield _sentence(f"each {part.words}" if in_list else part.words)
        elif isinstance(part, type) and issubclass(part, Enum) and len(part) <= MOST_VALUES:
            values = ", ".join(
                _shown(value) + (f" ({value.meaning})" if isinstance(value, Choice) and value.meaning else "")
                for value in part
            )
            if issubclass(part, OpenChoice):
                yield f"Known values: {values}."
            else:
                yield f"{'Each is one' if in_list else 'One'} of {values}."


def _of_limits(info: FieldInfo) -> Iterator[str]:
    phrases = _phrases(limits_in(info.metadata), of_list=_is_list(info))
    for verb, group in groupby(phrases, lambda phrase: phrase[: phrase.index(" ", len("must "))]):
        *first, last = (each.removeprefix(f"{verb} ") for each in group)
        yield _sentence(f"{verb} {', '.join(first)} and {last}" if first else f"{verb} {last}")


def _of_rules(model: type[Model], info: FieldInfo, dialect: VocabularyName) -> list[str]:
    """Return the texts of the rules and of the limits of a dialect; those of both belong to the vendor's."""
    texts = [(rule.only, rule.text) for rule in model.RULES if rule.path == info.alias and rule.text]
    texts += [(each.only, _within_in_words(each, info)) for each in info.metadata if isinstance(each, Within)]
    return [text for only, text in texts if (only or CLICKHOUSE) is dialect]


def _within_in_words(within: Within, info: FieldInfo) -> str:
    """Return limits of one dialect such as "must be at least 0 and at most 23"."""
    texts = [_in_words(within.limits, _is_list(info))] if within.limits else []
    texts += [f"each {_in_words(within.each)}"] if within.each else []
    if within.values:
        values = ", ".join(map(_shown, within.values))
        texts.append(
            f"known values are {values}" if issubclass(within.values, OpenChoice) else f"must be one of {values}"
        )
    return " and ".join(texts)


def _in_words(limits: Mapping[str, object], of_list: bool = False) -> str:
    first, *others = _phrases(limits, of_list)
    return " and ".join([first, *(each.removeprefix("must be ").removeprefix("must have ") for each in others)])


def _phrases(limits: Mapping[str, object], of_list: bool) -> Iterator[str]:
    """Yield the words of each limit; a length is that of a list or of a text."""
    for kind, phrase in LIMITS.items():
        name = constraint_of(kind)
        if name in limits and not (name.endswith("_length") and kind.startswith("string_") is of_list):
            limit = limits[name]
            words = phrase.format_map({name: f"`{limit}`" if name == "pattern" else whole_numbers(limit)})
            yield words.replace("(s)", "" if limit == 1 else "s")


def _is_list(info: FieldInfo) -> bool:
    return (list, False) in described_in(info.annotation)


def _sentence(rule: str) -> str:
    """Return words such as "must be a UUID" as a sentence."""
    return f"{rule[0].upper()}{rule[1:]}."


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"`{value.value if isinstance(value, Enum) else value}`"
    return str(value).lower() if isinstance(value, bool) else str(whole_numbers(value))
