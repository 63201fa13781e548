"""Rules: the form that all have, and the verb of what refuses and of what only warns."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

from codegen.public_names import models
from pulumi_clouddb.schema.base import Model, Whole, wire_names
from pulumi_clouddb.schema.base import prop as declare
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import OURS, Rule, RuleContext, context_of, rule
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL

VERB = re.compile(r"((and|or) \w+ )?(must|should)\b")


class Box(Model):
    """A box with rules of each form."""

    RULES: ClassVar[tuple[Rule[Box], ...]] = (
        rule(
            lambda box: box.low,
            "must be at most high",
            lambda box: f" ({box.high})",
            source=OURS,
            given=lambda box: box.high,
        ),
        rule(lambda box: box.high, "should be even", lambda box: (box.high or 0) % 2, source=OURS, warns=True),
        rule(lambda box: box.paid, "must be paid", lambda box: box.paid and not context_of(box).paid, source=OURS),
    )
    low: Whole | None = declare("The least.")
    high: Whole | None = declare("The most.")
    paid: Whole | None = declare("What is paid.")


@pytest.mark.parametrize(
    ("inputs", "context", "refused", "warned"),
    [
        pytest.param({}, RuleContext(), [], [], id="nothing given"),
        pytest.param({"high": UNKNOWN}, RuleContext(), [], [], id="unknown"),
        pytest.param({"high": 2}, RuleContext(), ["low must be at most high (2)"], [], id="a text at fault is added"),
        pytest.param(
            {"high": 3},
            RuleContext(vocabulary=CLICKHOUSE),
            ["low must be at most high (3)"],
            ["high should be even"],
            id="warned of there",
        ),
        pytest.param(
            {"high": 3},
            RuleContext(vocabulary=NEUTRAL),
            ["low must be at most high (3)", "high must be even"],
            [],
            id="refused in the other dialect, in its words",
        ),
        pytest.param({"paid": 1}, RuleContext(paid=False), ["paid must be paid"], [], id="the configuration"),
        pytest.param({"paid": 0}, RuleContext(paid=False), [], [], id="an empty value is none at fault"),
    ],
)
def test_rule(inputs: dict[str, Any], context: RuleContext, refused: list[str], warned: list[str]) -> None:
    """It is broken by what its function returns, unless that is empty, unknown, or not asked."""
    found = findings_of(Box, inputs, context)
    assert ([*map(str, found.failures)], [*map(str, found.warnings)]) == (refused, warned)


def test_what_refuses_must_and_what_warns_should() -> None:
    """Pages, schema.json and classes have the text of a rule as it stands."""
    wrong = set()
    for model in models():
        for each in model.RULES:
            verb = VERB.match(each.text)
            if verb and (verb[3] == "should") is not each.warns:
                wrong.add(f"{model.__name__}.{each.path} {each.text}")
    assert wrong == set()


def test_what_a_rule_needs_are_properties_of_its_object() -> None:
    """A name that the object does not have would switch the rule off."""
    of = [(model, each) for model in models() for each in model.RULES]
    wrong = {
        f"{model.__name__}: {each.text}" for model, each in of if not {each.path, *each.needs} <= {*wire_names(model)}
    }
    assert wrong == set()
