"""How people err: a mistake is refused, warned of, harmless, or silent for a reason, and each advice leads out."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import CloudDBError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.check.texts import kinds_in
from pulumi_clouddb.schema.defaults import models_in
from pulumi_clouddb.schema.values import show_path
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, NEUTRAL, VocabularyName
from support.mistakes import MOVED, NAMES, OPERATORS, mutants, renamed, walk, with_value, without_value
from support.mistakes import at as value_at
from support.played import PlayedLife

pytestmark = pytest.mark.beyond_the_description
Inputs = dict[str, Any]
LIVES = [
    pytest.param(life, dialect, id=f"{life}, {dialect.value}")
    for life in WIRE_LIVES
    for dialect in VocabularyName
    if life.life.only in (None, dialect)
]
IN_BOTH = [pytest.param(life, NEUTRAL, id=str(life)) for life in WIRE_LIVES if life.life.only is None]
COUNTS = pytest.mark.parametrize(
    "count", [pytest.param(12, id="some"), pytest.param(10_000, id="all", marks=pytest.mark.slow)]
)
SENT = pytest.mark.parametrize(
    "count", [pytest.param(1, id="one"), pytest.param(60, id="many", marks=pytest.mark.slow)]
)


@dataclass(frozen=True)
class Excused:
    """Mistakes that nobody reports, or about which check and the server differ, for one reason.

    Attributes:
        operators: The operators, as a pattern.
        place: The property, or the message, as a pattern.
        only: The dialect.
    """

    operators: str
    place: str = ""
    only: VocabularyName | None = None

    def fits(self, operator: str, text: str, dialect: VocabularyName) -> bool:
        """Return whether it excuses this."""
        found = re.fullmatch(self.operators, operator) and re.search(self.place, text)
        return bool(found) and self.only in (None, dialect)


ANY = ".*"
SILENT: dict[str, list[Excused]] = {
    "only the server knows the objects, tables, columns and words of this name": [
        Excused("upper case|lower case|a capital|plural|singular|hyphens|letters exchanged|a reference to nothing")
    ],
    "blanks and quotes belong to prose, code and data, or make no difference there": [
        Excused("a (blank|line break) .*|quotes around", r"\((prose|code|data)\)")
    ],
    "code and prose have brackets and variables of their own, and data is sent as it is": [
        Excused("a placeholder|a variable", r"\((prose|code|data)\)")
    ],
    "an empty text is the same as none, or servers accept it": [Excused("no text")],
    "neither the interface nor a source of the vendor says how long it may be": [Excused("a page for a text")],
    "the property is optional": [Excused("a property left out")],
    "it is within the limits of the server": [Excused("a negative number|another order of magnitude")],
    "the part after the prefix is as good a name": [Excused("an id without its prefix")],
    "the interface has no form of the ids on an observability server": [
        Excused("a name for an id|an id of another kind", r"^(Alert|Dashboard|SavedSearch)\.", NEUTRAL)
    ],
    "the interface has no list of intervals": [Excused("a duration in seconds", r"^Alert\.interval", NEUTRAL)],
    "it is a name of the program's own": [
        Excused("|".join(NAMES), r"\.(tags|conditions|headers|queryParams|settings|pgConfig|parameters)\.")
    ],
    "the vendor does not describe the object": [
        Excused("an? .* for a text", r"^StackRole\.permissions\[\d\]\.conditions")
    ],
    "a number is the same as its text": [Excused("a number for a text", r"^PostgresService\.pgConfig")],
    "the database reads the values of parameters, in its own forms": [
        Excused("a day .*|a variable", r"^(SavedQuery|QueryApiEndpoint)\.parameters")
    ],
}
"""The mistakes that no message names, by reason."""

REFUSED_BY_SERVERS: dict[str, list[Excused]] = {
    "the interface does not say that the tile of an alert needs a dashboard, and the sandbox needs one": [
        Excused("a property left out", "dashboardId: Required", NEUTRAL)
    ],
    "only the server knows its objects": [
        Excused(ANY, "not found|does not exist|must be an existing|Could not find|Invalid .* ID|no such")
    ],
    "the interface names one protocol as an example, and the sandbox has no other": [
        Excused(ANY, "protocol must be mysql", NEUTRAL)
    ],
}
"""What check lets through and the sandbox refuses, by reason."""

TAKEN_BY_SERVERS: dict[str, list[Excused]] = {
    "servers drop names that they do not know": [Excused("|".join((*NAMES, MOVED)))],
    "this provider always sends it, or refers to the object with it": [
        Excused("a property left out", "is required|needed|needs|must be complete")
    ],
    "an empty text names nothing": [Excused("no text", "must not be empty|must be|must have|must match")],
    "a private endpoint of a service is sent by its id alone": [Excused(ANY, r"^PrivateEndpoint\.")],
    "an option of this provider is never sent": [Excused(ANY, r"waitTimeoutMinutes|deletionProtection|\.key must be")],
    "the sandbox neither sends nor stores it": [Excused(ANY, r": (credentials|name)\b.* must be (text|an object)")],
    "the sandbox leaves the sizes of scaling to the server": [
        Excused(ANY, "each core|replicaCpuMillicores|replicaMemoryGb")
    ],
}
"""What check refuses and the sandbox takes, by reason."""


def excuse(table: dict[str, list[Excused]], operator: str, text: str, dialect: VocabularyName) -> str | None:
    """Return the reason for which a mistake is excused, if there is one."""
    return next((why for why, rows in table.items() if any(row.fits(operator, text, dialect) for row in rows)), None)


class Erring(PlayedLife):
    """A life, its inputs with mistakes, and what check and the sandbox say of them."""

    def __init__(self, life: WireLife, dialect: VocabularyName, folder: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(life, dialect, folder, patch)
        self.warned: list[str] = []
        self.initial = self.sandbox.state.store.copy()

    @property
    def session(self) -> Session:
        """The session of a new command, whose warnings are kept."""
        self.warned = []
        self.warn = lambda message, _: self.warned.append(message)
        return super().session

    def messages(self, inputs: Inputs) -> tuple[list[str], list[str]]:
        """Return the failures and the warnings of a preview."""
        failures = lifecycle.check(self.session, self.resource, inputs).failures
        name = f"{self.resource.type.name}."
        return [*map(str, failures)], [each.partition("\n")[0].removeprefix(name) for each in self.warned]

    def all_messages(self, inputs: Inputs) -> list[str]:
        """Return the failures and the warnings of a preview, in one list."""
        return [each for some in self.messages(inputs) for each in some]

    def mistakes(self, count: int) -> Iterator[tuple[str, str, Inputs, Inputs]]:
        """Yield some mistakes: the operator, the place, the inputs with it, and the valid ones."""
        for inputs in self.lives:
            if self.messages(inputs)[0]:
                continue  # the dialect has other inputs
            found = [*mutants(inputs)]
            random.Random(f"{self.resource.type.name} {count}").shuffle(found)  # noqa: S311 (the same in each run)
            for operator, path, wrong in found[:count]:
                yield operator, show_path((self.resource.type.name, *path)), wrong, inputs

    def means_the_same(self, wrong: Inputs, right: Inputs) -> bool:
        """Return whether two inputs are equal by the comparison of each property."""
        same = self.resource.same
        return all(same(name, wrong.get(name), right.get(name)) for name in {*wrong, *right})

    def refusal_of_server(self, inputs: Inputs) -> str | None:
        """Return why the sandbox refuses a create, whatever check says of it."""
        self.sandbox.state.store.replace(self.initial)
        with suppress(
            TypeError, AttributeError, ValueError, KeyError
        ):  # values of a type that check would have refused
            checked = self.resource.check(self.session, inputs)
            try:
                lifecycle.create(self.session, self.resource, checked.inputs)
            except CloudDBError as error:
                return str(error)
            return None
        return "the create cannot be sent"


@pytest.fixture
def erring(life: WireLife, dialect: VocabularyName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Erring:
    """Return the life of the test."""
    return Erring(life, dialect, tmp_path, monkeypatch)


def with_kind(place: str) -> str:
    """Return a place and the kind of text there, which is empty for names: `Alert.message (prose)`."""
    resource, *path = re.sub(r"\[\d+\]", "", place).split(".")
    model: type[BaseModel] | None = RESOURCES[resource].type.inputs
    kind = None
    for name in path:
        kind = kinds_in(model).get(name, kind) if model else kind
        model = models_in(model).get(name) if model else None
    return f"{place} ({'code' if kind and kind.is_code else kind.value if kind else ''})"


@COUNTS
@pytest.mark.parametrize(("life", "dialect"), LIVES)
def test_no_mistake_is_silent(erring: Erring, dialect: VocabularyName, count: int) -> None:
    """What is neither refused nor warned of means the same, or has its reason in the table."""
    silent = [
        f"{operator}: {place}"
        for operator, place, wrong, right in erring.mistakes(count)
        if not any(erring.messages(wrong)) and not erring.means_the_same(wrong, right)
        if excuse(SILENT, operator, with_kind(place), dialect) is None
    ]
    assert silent == []


ONLY_OF_THE_VENDOR: dict[str, list[Excused]] = {
    "the interface has no form of the ids on an observability server": [
        Excused(
            "a name for an id|an id of another kind|(no|a page for a) text|plural",
            r"\.(dashboardId|sourceId|webhookId)$",
        )
    ],
    "the interface has no list of intervals": [Excused("a duration in seconds", r"^Alert\.interval")],
    "the interface has no list of words, and none is nearly this one": [
        Excused("(no|a page for a) text", r"(\.(interval|source|protocol)|[tT]ype|aggFn)$")
    ],
    "the interface requires no property of a tile, nor a size of a pipe": [
        Excused("a property left out", r"^(Dashboard\.tiles\[\d\]|PipeScaling)\.")
    ],
    "the interface does not say what an alert watches by default, nor that its tile needs a dashboard": [
        Excused("a property left out", r"^Alert\.(source|dashboardId)$")
    ],
    "the interface has no saved searches": [Excused(ANY, r"^SavedSearch\.")],
}
"""The mistakes that check reports only in the dialect of the vendor, by reason."""


@COUNTS
@pytest.mark.parametrize(("life", "dialect"), IN_BOTH)
def test_dialects_report_the_same(erring: Erring, dialect: VocabularyName, count: int) -> None:
    """What is wrong for the vendor's servers is refused or warned of in the neutral dialect, or has its reason."""
    model, vendor = erring.resource.type.inputs, RuleContext(vocabulary=CLICKHOUSE)
    silent = []
    for operator, place, wrong, right in erring.mistakes(count):
        there = findings_of(model, wrong, vendor)
        before = findings_of(model, right, vendor)
        said = there.failures or there.warnings
        if said and not before.failures and not before.warnings and not any(erring.messages(wrong)):
            silent += (
                [] if excuse(ONLY_OF_THE_VENDOR, operator, place, dialect) else [f"{operator}: {place}: {said[0]}"]
            )
    assert silent == []


@SENT
@pytest.mark.parametrize(("life", "dialect"), LIVES)
def test_check_and_server_agree(erring: Erring, dialect: VocabularyName, count: int) -> None:
    """What passes the preview passes the server, and what the server takes passes the preview, but for a reason."""
    differ = []
    for operator, place, wrong, _ in erring.mistakes(count):
        failures, warnings = erring.messages(wrong)
        refusal = erring.refusal_of_server(wrong)
        if refusal and not failures and not warnings and not excuse(REFUSED_BY_SERVERS, operator, refusal, dialect):
            differ.append(f"{operator}: {place}: only the server says: {refusal}")
        if failures and not refusal and not excuse(TAKEN_BY_SERVERS, operator, f"{place}: {failures[0]}", dialect):
            differ.append(f"{operator}: {place}: only check says: {failures[0]}")
    assert differ == [], "\n".join(differ)


STUCK: dict[str, list[Excused]] = {
    "it has the name of a property that another type has": [Excused("a name in the plural", r"series\[\d\]\.field$")]
}
"""The mistakes that need a second message, by reason."""


def path_in(message: str, inputs: Inputs) -> tuple[Any, ...] | None:
    """Return the path of the value that a message begins with; None if the inputs do not have it."""
    return next((path for path, _ in walk(inputs) if message.startswith(f"{show_path(path)} ")), None)


def advised(message: str, inputs: Inputs) -> Any:
    """Return the inputs after doing what a message says; None if it does not say what to write."""
    path = path_in(message, inputs)
    if path is None:
        return None
    if message.endswith(": remove it"):
        return without_value(inputs, path)
    if message.endswith(", to the resource itself"):
        return with_value(without_value(inputs, path), path[-1:], value_at(inputs, path))
    if message.endswith("write it without"):
        return with_value(inputs, path, re.sub(r"""\A[\s"'`]|[\s"'`]\Z""", "", value_at(inputs, path)))
    if found := re.search(r"; did you mean ([^?]+)\?$", message):
        word = found[1].split(" or ")[0]
        if "[]" in word:
            return None  # it may be any element
        if " is not supported here; " in message or " is not known to this version" in message:
            moved = without_value(inputs, path)
            return with_value(moved, (*path[:-1], *word.split(".")), value_at(inputs, path))
        with suppress(SyntaxError, ValueError):
            return with_value(inputs, path, ast.literal_eval(found[1]))
        if unknown := re.search(r"; (\w+) is not; did", message):
            return renamed(inputs, (*path, unknown[1]), word)
        return with_value(inputs, path, word)
    return None


@COUNTS
@pytest.mark.parametrize(("life", "dialect"), LIVES)
def test_advice_leads_out(erring: Erring, dialect: VocabularyName, count: int) -> None:
    """After what a message says is done, it does not come back, and no other one follows from it."""
    stuck = []
    for operator, place, wrong, right in erring.mistakes(count):
        if excuse(STUCK, operator, place, dialect):
            continue
        before = erring.all_messages(wrong)
        known = {*before, *erring.all_messages(right)}
        for message in before:
            mended = advised(message, wrong)
            if mended is not None:
                after = [each for each in erring.all_messages(mended) if each == message or each not in known]
                stuck += [f"{operator}: {place}: {message}\n  then: {each}" for each in after]
    assert stuck == []


@pytest.mark.slow
def test_every_operator_and_reason_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator that fits nowhere, and a reason that excuses nothing, must go."""
    operators, reasons = set(), set()
    for number, parameter in enumerate(LIVES):
        life, dialect = parameter.values
        (folder := tmp_path / str(number)).mkdir()
        erring = Erring(life, dialect, folder, monkeypatch)  # type: ignore[arg-type]
        for operator, place, wrong, right in erring.mistakes(10_000):
            operators.add(operator)
            if not any(erring.messages(wrong)) and not erring.means_the_same(wrong, right):
                reasons.add(excuse(SILENT, operator, with_kind(place), dialect))  # type: ignore[arg-type]
    assert operators == set(OPERATORS)
    assert set(SILENT) <= reasons
