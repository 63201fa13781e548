"""Descriptions of properties state each limit in the words of its failure, and repeat none by hand."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import create_model

import pulumi_clouddb
from codegen.descriptions import DescribedSchema, description_of
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Address, Duration, FilledText, Flag, Model, Number, Text, Uuid, Whole, extras_of
from pulumi_clouddb.schema.base import prop as declare
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.check.rules import OURS, Rule, rule
from pulumi_clouddb.schema.choice import Choice
from pulumi_clouddb.schema.thing import Thing, body_of
from pulumi_clouddb.things.services.service import BASIC_DETAILS, REPLICA_SCALING, TOTAL_SCALING, Service

PACKAGE = Path(pulumi_clouddb.__file__).parent
FILES = sorted(
    file
    for folder in ("schema", "things")
    for file in (PACKAGE / folder).rglob("[a-z]*.py")
    if " prop(" in file.read_text(encoding="utf-8")
)
"""The files that declare fields."""

WORDING = {
    "ge": "at least {:.12g}",
    "gt": "greater than {:.12g}",
    "le": "at most {:.12g}",
    "lt": "less than {:.12g}",
    "multiple_of": "a multiple of {:.12g}",
    "min_length": "at least {:.12g} ",
    "max_length": "at most {:.12g} ",
}


class Colour(str, Enum):
    """Values without a meaning."""

    RED = "red"
    BLUE = "blue"


class Fate(Choice):
    """Values with a meaning."""

    KEEP = "keep", "leaves it"
    DROP = "drop", "deletes it"


class Many(str, Enum):
    """More values than a description lists."""

    A, B, C, D, E, F = "abcdef"


CASES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "bounds and a step": (
        Whole,
        {"ge": 8, "le": 356, "multiple_of": 4},
        "Must be at least 8, at most 356 and a multiple of 4.",
    ),
    "other bounds": (
        Whole,
        {"ge": 9, "le": 357, "multiple_of": 3},
        "Must be at least 9, at most 357 and a multiple of 3.",
    ),
    "a lower bound": (Number, {"ge": 0.05}, "Must be at least 0.05."),
    "open bounds": (Number, {"gt": 0, "lt": 7.5}, "Must be greater than 0 and less than 7.5."),
    "lengths of a text": (
        Text,
        {"min_length": 1, "max_length": 50},
        "Must have at least 1 character and at most 50 characters.",
    ),
    "another length": (Text, {"min_length": 2}, "Must have at least 2 characters."),
    "lengths of a list": (
        list[Text],
        {"min_length": 1, "max_length": 3},
        "Must have at least 1 element and at most 3 elements.",
    ),
    "a pattern": (Text, {"pattern": "^[a-z]$"}, "Must match `^[a-z]$`."),
    "a duration": (Duration, {}, "Must be a number with a unit such as `5m` or `1h`."),
    "an id": (Uuid, {}, "Must be a UUID."),
    "ids": (list[Uuid], {}, "Each must be a UUID."),
    "a network": (Address, {}, "Must be an IP address or a range in CIDR notation such as `203.0.113.0/24`."),
    "an enum": (Colour, {}, "One of `red`, `blue`."),
    "enums": (list[Colour], {}, "Each is one of `red`, `blue`."),
    "an enum with meanings": (Fate, {}, "One of `keep` (leaves it), `drop` (deletes it)."),
    "an enum of many values": (Many, {}, ""),
    "a default": (FilledText, {"default": "tile"}, "Must not be empty. Default: `tile`."),
    "a default that is a flag": (Flag, {"default": True}, "Default: true."),
    "the server's default": (Flag, {"unset": True}, "Server default: true."),
    "the server's default in prose": (Whole, {"unset": "1 or 3"}, "Server default: 1 or 3."),
    "the default of an option": (
        Fate,
        {"unset": Fate.KEEP, "provider_only": True},
        "One of `keep` (leaves it), `drop` (deletes it). Default: `keep`.",
    ),
    "no limit": (Text, {}, ""),
}


def model_of(type_: Any, **declared: Any) -> type[Model]:
    """Return a model with one property, `size`."""
    return create_model("Sized", __base__=Model, size=(type_ | None, declare("How big.", **declared)))


@pytest.mark.parametrize("case", CASES)
def test_description_follows_from_the_declaration(case: str) -> None:
    """The field and the schema for the generator describe each limit."""
    type_, declared, text = CASES[case]
    model = model_of(type_, **declared)
    assert description_of(model, "size") == f"How big. {text}".strip()
    schema = model.model_json_schema(schema_generator=DescribedSchema)
    assert schema["properties"]["size"]["description"] == f"How big. {text}".strip()


def test_inherited_field_is_described_once() -> None:
    """A subclass does not repeat the limits."""
    model = model_of(Whole, ge=8)
    assert description_of(create_model("Taken", __base__=model), "size") == "How big. Must be at least 8."


@pytest.mark.parametrize(
    ("type_", "declared", "value"),
    [
        (Whole, {"ge": 8}, 7),
        (Whole, {"gt": 8}, 8),
        (Whole, {"le": 356}, 357),
        (Whole, {"lt": 356}, 356),
        (Whole, {"multiple_of": 4}, 5),
        (Text, {"max_length": 3}, "four"),
        (list[Text], {"max_length": 1}, ["a", "b"]),
        (Duration, {}, "soon"),
        (Uuid, {}, "s-1"),
        (Address, {}, "any"),
        (FilledText, {}, " "),
    ],
)
def test_failure_has_the_words_of_the_description(type_: Any, declared: dict[str, Any], value: Any) -> None:
    """The reason begins like the sentence about the limit."""
    model = model_of(type_, **declared)
    (failure,) = failures_of(model, {"size": value})
    words = description_of(model, "size").removeprefix("How big. M").removesuffix(".").replace("`", "")
    assert failure.reason.startswith(f"m{words}")


def test_text_of_a_rule_is_declared_once() -> None:
    """It is the beginning of the failure, and a sentence of the description."""

    class Ruled(Model):
        """A rule over one field."""

        RULES: ClassVar[tuple[Rule[Ruled], ...]] = (
            rule(lambda args: args.size, "must be even", lambda args: f", not {args.size}", source=OURS),
        )
        size: Whole | None = declare("How big.")

    assert description_of(Ruled, "size") == "How big. Must be even."
    (failure,) = failures_of(Ruled, {"size": 3})
    assert failure.reason == "must be even, not 3"


def every_model() -> Iterator[type[Model]]:
    """Yield each model that the package declares."""
    for file in FILES:
        for value in vars(
            importlib.import_module(".".join(file.with_suffix("").relative_to(PACKAGE.parent).parts))
        ).values():
            if isinstance(value, type) and issubclass(value, Model) and not issubclass(value, Thing):
                yield value
    for handler in RESOURCES.values():
        handler.type.inputs.model_rebuild()
        yield handler.type.inputs


def test_each_limit_is_stated() -> None:
    """Every constraint and every rule of every model is in its description, with its number."""
    stated = 0
    for model in every_model():
        for attribute, info in model.model_fields.items():
            text = description_of(model, attribute)
            for constraint in info.metadata:
                for name, words in WORDING.items():
                    limit = getattr(constraint, name, None)
                    if limit is not None:
                        stated += 1
                        assert words.format(limit) in text, f"{model.__name__}.{attribute}"
            for each in model.RULES:
                if each.path == info.alias:
                    stated += 1
                    assert each.text
                    assert re.search(re.escape(each.text[1:]) + "[.;]", text), f"{model.__name__}.{attribute}"
    assert stated > 100


def repeated(model: type[Model], attribute: str) -> set[str]:
    """Return the numbers and quoted values that both the declared text and the derived text of a property contain."""
    words = extras_of(model, attribute).get("words", "")
    derived = description_of(model, attribute).removeprefix(words)
    values = [set(re.findall(r"\d+(?:\.\d+)?|`[^`]+`|\bUUID\b", text)) for text in (words, derived)]
    return values[0] & values[1]


def test_no_derived_text_is_repeated_by_hand() -> None:
    """A number, a value of an enum or a default is in the declaration only."""
    twice = {
        f"{model.__name__}.{name}": repeated(model, name) for model in every_model() for name in model.model_fields
    }
    assert {name: values for name, values in twice.items() if values} == {}


def test_repeated_value_is_found() -> None:
    """These are a value of an enum, and a limit."""
    model = create_model(
        "Twice",
        __base__=Model,
        size=(Whole, declare("At most 7.", le=7)),
        colour=(Colour, declare("`red` or not.")),
    )
    assert (repeated(model, "size"), repeated(model, "colour")) == ({"7"}, {"`red`"})


def test_each_mutable_property_has_an_update() -> None:
    """All other properties replace the service, or are read only at creation."""
    updated = {*BASIC_DETAILS, *REPLICA_SCALING, *TOTAL_SCALING}
    for attribute, info in body_of(Service).model_fields.items():
        fixed = extras_of(body_of(Service), attribute).get("replaces") or attribute == "private_preview_terms_checked"
        assert (info.alias in updated) is not bool(fixed), attribute
