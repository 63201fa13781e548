"""All rows of mistakes: what check says of each, and that each rule is broken by one."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Iterator

import pytest
from pydantic import AfterValidator

from clouddb_tools.testing import UNKNOWN
from codegen.public_names import models
from description.mistakes import ROWS as OF_SENTENCES
from description.terraform import VALIDATORS
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.check.rules import Rule
from pulumi_clouddb.schema.check.wording import doubted
from support import planted
from support.front_ends import MakeFrontEnds
from support.rows import Row, changed, play, said_of
from support.things import modules

OF_MODELS = sorted(models(), key=lambda model: len(model.__name__), reverse=True)
"""A rule of several models, such as one of bodies, is named by the shortest: that of the thing."""

ROWS: list[Row] = [
    *(row for module in modules("checks") for row in module.CASES),
    *planted.CASES,
    *OF_SENTENCES,
    *(each.here for each in VALIDATORS if isinstance(each.here, Row)),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    """Check says it of the mistake, and nothing of the inputs that its message leads to, in this process."""
    play(row)


def test_each_rule_is_broken_by_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a row for the rule that this names, to the table of its thing."""
    broken, failure = set[int](), Rule.failure

    def counted(rule: Rule[object], seen: object) -> str | None:
        said = failure(rule, seen)
        broken.update([id(rule)] if said is not None else [])
        return said

    monkeypatch.setattr(Rule, "failure", counted)
    for row in ROWS:
        said_of(row, row.wrong)
    rules = {id(rule): f"{model.__name__}.{rule.path} {rule.text}" for model in OF_MODELS for rule in model.RULES}
    without = sorted(name for rule, name in rules.items() if rule not in broken)
    assert without == [], "\n".join(["no row of tests/provider/things/NAMES/checks.py breaks", *without])


def test_what_refuses_says_must_and_what_warns_says_should() -> None:
    """Check puts the right verb at the beginning of a message, so that no row shows the one that the page has."""
    rules = {f"{model.__name__}.{rule.path} {rule.text}": rule.warns for model in OF_MODELS for rule in model.RULES}
    doubts = {f"{where} {words}": True for where, words in doubts_in_models()}
    wrong = [words for words, warns in {**rules, **doubts}.items() if ("must" if warns else "should") in words.split()]
    assert wrong == []


def test_each_doubt_of_a_value_is_said_to_a_row() -> None:
    """The validators that `doubted` makes, by their words."""
    warnings = "\n".join(str(each) for row in ROWS for each in said_of(row, row.wrong).warned)
    doubts = {words: where for where, words in doubts_in_models()}
    assert sorted(f"{where} {words}" for words, where in doubts.items() if words not in warnings) == []


def doubts_in_models() -> Iterator[tuple[str, str]]:
    """Yield the words of each validator that only doubts, with a field that has it."""
    for model in OF_MODELS:
        for name, info in model.model_fields.items():
            for each in (*info.metadata, *_annotations(info.annotation)):
                if isinstance(each, AfterValidator) and each.func.__qualname__.startswith(doubted.__name__):
                    yield f"{model.__name__}.{name}", inspect.getclosurevars(each.func).nonlocals["words"]


def _annotations(annotation: object) -> Iterator[object]:
    yield from getattr(annotation, "__metadata__", ())
    for each in typing.get_args(annotation):
        yield from _annotations(each)


def one_of_each() -> Iterator[Row]:
    """Yield the first row of each resource that is refused, and the first that is warned of, in each dialect."""
    seen = set()
    for row in ROWS:
        kind = (row.resource, bool(row.refused), bool(row.warned), row.config.get("vocabulary"))
        if row.resource in RESOURCES and (row.refused or row.warned) and kind not in seen:
            seen.add(kind)
            yield row


@pytest.mark.parametrize("row", [*one_of_each()], ids=lambda row: row.name)
def test_both_front_ends_say_it(row: Row, front_ends_of: MakeFrontEnds) -> None:
    """A program gets what check says; an unknown value is no mistake."""
    ends = front_ends_of(**row.config)
    before = len(ends.warnings)
    for inputs in (row.valid, changed(row.valid, dict.fromkeys(row.change, UNKNOWN))):
        assert ends.check(row.resource, inputs).failures == []
    assert ends.warnings[before:] == []
    failures = ends.check(row.resource, row.wrong).failures
    for messages, parts in ((failures, row.refused), (ends.native.warnings[before:], row.warned)):
        assert [part for part in parts if not any(part in each for each in messages)] == []
