"""A field is declared once: its role decides where it stands."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import Any

import pytest
from pydantic import ValidationError

from codegen.descriptions import description_of
from pulumi_clouddb.schema import thing
from pulumi_clouddb.schema.base import Answer, Model, NoRecord, Text, Whole, prop, wire_names
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.convert import construct, fields_of, parse, to_wire
from pulumi_clouddb.schema.rules import Rule
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

    RULES = (Rule(lambda lamp: lamp.watts, lambda lamp, _: "" if lamp.watts == 13 else None, "must not be 13"),)
    OPTION_RULES = (Rule(lambda lamp: lamp.keep, lambda lamp, _: "" if lamp.keep == "no" else None, "must not be no"),)

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
        """Count from zero where a server does not count."""
        if self.hours is None:
            self.hours = 0


class Bulb(Thing):
    """A thing of which this provider adds nothing."""

    name: Text | None = prop("Its name.")


PROJECTIONS = {
    "body": (body_of, ("watts", "colour", "code")),
    "inputs": (inputs_of, ("watts", "colour", "code", "keep")),
    "record": (record_of, ("watts", "colour", "hours")),
    "own": (own_of, ("bought", "__bill")),
    "state": (state_of, ("watts", "colour", "hours", "code", "keep", "bought")),
}


@pytest.mark.parametrize(("projection", "names"), PROJECTIONS.values(), ids=PROJECTIONS)
def test_a_role_decides_where_a_field_stands(projection: object, names: tuple[str, ...]) -> None:
    """By wire name, in order: what is sent, then the options."""
    assert callable(projection)
    assert wire_names(projection(Lamp)) == names


def test_a_thing_of_which_we_add_nothing_has_no_own() -> None:
    """`NoRecord` says so."""
    assert own_of(Bulb) is NoRecord


def test_programs_have_limits_and_both_kinds_of_rules() -> None:
    """A request's body has the rules of the server only."""
    assert [str(each) for each in failures_of(inputs_of(Lamp), {"watts": 0})] == ["watts must be at least 1, not 0"]
    both = {"watts": 13, "keep": "no"}
    assert [each.path for each in failures_of(inputs_of(Lamp), both)] == ["watts", "keep"]
    assert [each.path for each in failures_of(body_of(Lamp), {"watts": 13})] == ["watts"]
    with pytest.raises(ValidationError, match="hours"):
        inputs_of(Lamp).model_validate({"watts": 1, "hours": 2})


def test_an_answer_has_neither_limits_nor_a_fixed_list_of_values() -> None:
    """A value of another type is left out, and what no field knows travels along."""
    lamp = parse(Lamp, {"watts": 0, "colour": "infrared", "hours": "many", "shape": "round"})
    assert isinstance(lamp, Lamp)
    assert to_wire(lamp) == {"watts": 0, "colour": "infrared", "hours": 0}
    assert lamp.answer == {"watts": 0, "colour": "infrared", "hours": "many", "shape": "round"}


ANSWERED_WATTS: dict[str, tuple[object, WireDict]] = {
    "a whole number": (6, {"watts": 6}),
    "a float without a fraction": (6.0, {"watts": 6}),
    "a fraction": (6.5, {}),
    "beyond the limits of requests": (-6, {"watts": -6}),
}


@pytest.mark.parametrize(("watts", "expected"), ANSWERED_WATTS.values(), ids=ANSWERED_WATTS)
def test_a_whole_number_is_one_in_responses_too(watts: object, expected: WireDict) -> None:
    """Languages with types of numbers need no conversion to pass an output on to an input."""
    lamp = record_of(Lamp)
    assert (parsed := to_wire(parse(lamp, {"watts": watts}))) == expected
    assert all(type(each) is int for each in parsed.values())


def test_what_is_ours_goes_from_one_answer_to_the_next() -> None:
    """What a server answered before does not."""
    before = construct(Lamp, {"watts": 5, "bought": "2026", "__bill": "12"})
    assert to_wire(with_ours(parse(Lamp, {"watts": 6}), before)) == {
        "watts": 6,
        "hours": 0,
        "bought": "2026",
        "__bill": "12",
    }


def test_an_answer_has_words_of_its_own_where_those_for_programs_do_not_fit() -> None:
    """Its limits and its default are not those of a request either."""
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
    """One by itself, and each of a list; of what a program may say the class has its own name."""
    shown = [model for _, _, model in fields_of(projection(Chandelier)) if model]
    assert [model.__name__ for model in shown] == [name, name]
    assert [wire_names(model) for model in shown] == [names, names]


def test_parts_of_programs_have_limits_and_those_of_answers_have_none() -> None:
    """So it is with their thing; the class itself has all fields of both."""
    given = {"shades": [{"width": 91, "wear": 3}]}
    assert [each.path for each in failures_of(inputs_of(Chandelier), given)] == ["shades[0].width", "shades[0].wear"]
    assert to_wire(parse(Chandelier, given)) == given
    assert to_wire(construct(Chandelier, {"shade": {"width": 1, "wear": 2}})) == {"shade": {"width": 1, "wear": 2}}
    assert record_of(Shade).__doc__ == "A shade as it was measured."


def test_a_field_may_be_answered_in_one_dialect_only() -> None:
    """All servers take it."""
    assert not failures_of(inputs_of(Chandelier), {"maker": "us"})
    assert to_wire(parse(Chandelier, {"maker": "us"}, CLICKHOUSE)) == {"maker": "us"}
    assert to_wire(parse(Chandelier, {"maker": "us"}, VocabularyName.NEUTRAL)) == {}
    described = description_of(record_of(Chandelier), "maker")
    assert described == "Who has made it. Only with `clouddb:vocabulary=clickhouse`."


def test_a_projection_that_threads_ask_for_at_a_time_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty one would leave out what a program says of a database."""
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
