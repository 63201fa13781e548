"""A field is declared once; its role decides in which projections it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from codegen.descriptions import description_of
from pulumi_clouddb.schema import thing
from pulumi_clouddb.schema.base import Answer, Model, NoRecord, Text, Whole, prop, wire_names
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.check.rules import INTERFACE, OURS, Rule, rule
from pulumi_clouddb.schema.convert import construct, fields_of, parse, to_wire
from pulumi_clouddb.schema.thing import (
    Part,
    Thing,
    answered,
    asked,
    body_of,
    hidden,
    inputs_of,
    option,
    ours,
    own_of,
    record_of,
    state_of,
    with_ours,
)
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName


class Colour(str, Enum):
    """A colour."""

    RED = "red"


class Lamp(Thing):
    """A lamp."""

    RULES: ClassVar[tuple[Rule[Lamp], ...]] = (
        rule(lambda lamp: lamp.watts, "must not be 13", lambda lamp: lamp.watts == 13, source=INTERFACE),
        rule(lambda lamp: lamp.keep, "must not be no", lambda lamp: lamp.keep == "no", source=OURS),
    )

    keep: Text | None = option("What happens at the end.")
    watts: Whole | None = prop(
        "Power, in watts.", required=True, ge=1, answer=Answer("Power that was measured, in watts.")
    )
    colour: Colour | None = prop("Its colour.", unset=Colour.RED)
    code: Text | None = asked("Code to switch it on.", secret=True)
    hours: Whole | None = answered("Hours for which it has burnt.")
    bought: Text | None = ours("When it was bought.")
    bill: Text | None = hidden("What it has cost.", "__bill")

    def received(self) -> None:
        """Use 0 if a server does not return it."""
        if self.hours is None:
            self.hours = 0


class Bulb(Thing):
    """A thing without values of this provider."""

    name: Text | None = prop("Its name.")


PROJECTIONS = {
    "body": (body_of, ("watts", "colour", "code")),
    "inputs": (inputs_of, ("watts", "colour", "code", "keep")),
    "record": (record_of, ("watts", "colour", "hours")),
    "own": (own_of, ("bought", "__bill")),
    "state": (state_of, ("watts", "colour", "hours", "code", "keep", "bought")),
}


@pytest.mark.parametrize(("projection", "names"), PROJECTIONS.values(), ids=PROJECTIONS)
def test_role_decides_on_the_projections_of_a_field(projection: object, names: tuple[str, ...]) -> None:
    """The wire names are in order: sent fields first, then options."""
    assert callable(projection)
    assert wire_names(projection(Lamp)) == names


def test_thing_without_own_values_has_no_own_projection() -> None:
    """`own_of` returns `NoRecord`."""
    assert own_of(Bulb) is NoRecord


def test_inputs_have_limits_and_both_kinds_of_rules() -> None:
    """A request body has only the rules of the server."""
    assert [str(each) for each in failures_of(inputs_of(Lamp), {"watts": 0})] == ["watts must be at least 1, not 0"]
    both = {"watts": 13, "keep": "no"}
    assert [each.path for each in failures_of(inputs_of(Lamp), both)] == ["watts", "keep"]
    assert [each.path for each in failures_of(body_of(Lamp), {"watts": 13})] == ["watts"]
    with pytest.raises(ValidationError, match="hours"):
        inputs_of(Lamp).model_validate({"watts": 1, "hours": 2})


def test_response_has_neither_limits_nor_enums() -> None:
    """A value of another type is left out, and unknown fields are kept in `answer`."""
    lamp = parse(Lamp, {"watts": 0, "colour": "infrared", "hours": "many", "shape": "round"})
    assert isinstance(lamp, Lamp)
    assert to_wire(lamp) == {"watts": 0, "colour": "infrared", "hours": 0}
    assert lamp.answer == {"watts": 0, "colour": "infrared", "hours": "many", "shape": "round"}


RESPONSE_WATTS: dict[str, tuple[object, WireDict]] = {
    "a whole number": (6, {"watts": 6}),
    "a float without a fraction": (6.0, {"watts": 6}),
    "a fraction": (6.5, {}),
    "beyond the limits of requests": (-6, {"watts": -6}),
}


@pytest.mark.parametrize(("watts", "expected"), RESPONSE_WATTS.values(), ids=RESPONSE_WATTS)
def test_whole_numbers_in_responses_are_integers(watts: object, expected: WireDict) -> None:
    """Languages with types of numbers need no conversion to pass an output on to an input."""
    lamp = record_of(Lamp)
    assert (parsed := to_wire(parse(lamp, {"watts": watts}))) == expected
    assert all(type(each) is int for each in parsed.values())


def test_own_values_are_kept_in_the_next_response() -> None:
    """Other values of the previous response are not."""
    before = construct(Lamp, {"watts": 5, "bought": "2026", "__bill": "12"})
    assert to_wire(with_ours(parse(Lamp, {"watts": 6}), before)) == {
        "watts": 6,
        "hours": 0,
        "bought": "2026",
        "__bill": "12",
    }


def test_response_can_have_another_description() -> None:
    """It does not contain the limits and the default of the request."""
    assert description_of(record_of(Lamp), "watts") == "Power that was measured, in watts."
    assert description_of(record_of(Lamp), "colour") == "Its colour."
    assert "Server default: `red`." in description_of(inputs_of(Lamp), "colour")


class Shade(Part):
    """A shade."""

    ANSWER = "ServedShade"
    ANSWER_WORDS = "A shade as it was measured."

    label: Text | None = option("What people call it.")
    width: Whole | None = prop("Width, in cm.", required=True, le=90)
    wear: Whole | None = answered("How worn it is.")


class Chandelier(Thing):
    """A lamp with parts."""

    shade: Shade | None = prop("The largest shade.")
    shades: list[Shade] | None = prop("All shades.")
    maker: Text | None = prop("Who has made it.", answer=Answer(only=CLICKHOUSE))


PARTS = {
    "body": (body_of, "ShadeBody", ("width",)),
    "inputs": (inputs_of, "Shade", ("label", "width")),
    "record": (record_of, "ServedShade", ("width", "wear")),
    "state": (state_of, "Shade", ("label", "width")),
}


@pytest.mark.parametrize(("projection", "name", "names"), PARTS.values(), ids=PARTS)
def test_parts_are_projected_with_their_thing(
    projection: Callable[[type[Thing]], type[Model]], name: str, names: tuple[str, ...]
) -> None:
    """This applies to a single part and to those of a list; each projection has its class name."""
    part_models = [model for _, _, model in fields_of(projection(Chandelier)) if model]
    assert [model.__name__ for model in part_models] == [name, name]
    assert [wire_names(model) for model in part_models] == [names, names]


def test_parts_have_limits_in_inputs_and_none_in_responses() -> None:
    """The part class itself has all fields of both."""
    values = {"shades": [{"width": 91, "wear": 3}]}
    assert [each.path for each in failures_of(inputs_of(Chandelier), values)] == ["shades[0].width", "shades[0].wear"]
    assert to_wire(parse(Chandelier, values)) == values
    assert to_wire(construct(Chandelier, {"shade": {"width": 1, "wear": 2}})) == {"shade": {"width": 1, "wear": 2}}
    assert record_of(Shade).__doc__ == "A shade as it was measured."


def test_field_can_be_returned_in_one_dialect_only() -> None:
    """All servers accept it in requests."""
    assert not failures_of(inputs_of(Chandelier), {"maker": "us"})
    assert to_wire(parse(Chandelier, {"maker": "us"}, CLICKHOUSE)) == {"maker": "us"}
    assert to_wire(parse(Chandelier, {"maker": "us"}, VocabularyName.NEUTRAL)) == {}
    description = description_of(record_of(Chandelier), "maker")
    assert description == "Who has made it."  # the reference describes the vendor's servers


def test_concurrently_created_projection_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    """An incomplete one would leave out inputs of a program."""
    slow = thing._made

    def made_slowly(*arguments: Any) -> Any:
        time.sleep(0.05)
        return slow(*arguments)

    monkeypatch.setattr(thing, "_made", made_slowly)
    new = type("New", (Chandelier,), {"__module__": __name__})
    with ThreadPoolExecutor(8) as threads:
        made = list(threads.map(body_of, [new] * 8))
    assert {id(each) for each in made} == {id(made[0])}
    assert wire_names(made[0]) == wire_names(body_of(Chandelier)) != ()
