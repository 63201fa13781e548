"""One row of any table of mistakes: valid inputs, what is wrong in them, and what check says; and the one player.

A row is refused or warned of, in the dialect of its configuration. The tables are `checks.py` in the folders of the
things, what these include, and those in tests/description; tests/provider/schema/test_rows.py plays all of them.
"""

from __future__ import annotations

import copy
import functools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clouddb_tools.sandbox.vendor_dashboards import CreateBody, dashboard_errors
from clouddb_tools.testing import UNKNOWN
from pulumi_clouddb.engine.wire.settings import settings_failures
from pulumi_clouddb.registry import FUNCTIONS, RESOURCES
from pulumi_clouddb.schema.check.findings import Failure, findings_of
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import WireDict

from .refused import quotes_nothing
from .sessions import NOWHERE, ProviderProcess, config_of

Values = dict[str, Any]

UUID = "11111111-2222-4333-8444-555555555555"
IDS = "; take the output id of its resource, or what `clouddb find NAME` prints"
NEWER = "which this version does not know"
CIDR = "must be an IP address or a range in CIDR notation such as 203.0.113.0/24"
THERE: Values = {"vocabulary": "clickhouse"}

_SETTINGS = {name.removeprefix("clouddb:"): value for name, value in NOWHERE.items()}
_DEPRECATED = " is deprecated: "
"""In the warnings of properties; others are of values."""
_WORD = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True)
class Row:
    """A mistake.

    Attributes:
        resource: The resource or function, or what else has rules: see `ELSEWHERE`.
        valid: Inputs of which check says nothing.
        change: The mistake: values by their paths; None removes one.
        refused: The parts of the failures, in their order: one for each.
        warned: The same of the warnings.
        at: The path that check must name, in a failure or a warning, where neither is given; empty for the object.
        config: Configuration of the provider.
        breaks: The digests of the vendor's sentences that it breaks.
        title: The mistake in words, if not what is said.
    """

    resource: str
    valid: Values
    change: Mapping[str, Any]
    refused: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    at: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    breaks: tuple[str, ...] = ()
    title: str = ""

    @property
    def name(self) -> str:
        """The resource and the mistake."""
        said = next(iter((*self.refused, *self.warned)), "")
        changes = ", ".join(f"{path}={value!r:.40}" for path, value in self.change.items())
        return f"{self.resource}: {self.title or said or changes}"

    @property
    def wrong(self) -> Values:
        """The inputs with the mistake."""
        return changed(self.valid, self.change)


def changed(inputs: Values, changes: Mapping[str, Any]) -> Values:
    """Return inputs with changes by path."""
    found = copy.deepcopy(inputs)
    for path, value in changes.items():
        *way, last = (int(step) if step.isdigit() else step for step in _WORD.findall(path))
        around: Any = found
        for step in way:
            around = around[step]
        if value is not None:
            around[last] = value
        elif isinstance(around, list) or last in around:
            del around[last]
    return found


def from_one_to_other(valid: Values, wrong: Values) -> Values:
    """Return the top-level changes between inputs."""
    names = [*valid, *(each for each in wrong if each not in valid)]
    return {name: wrong.get(name) for name in names if repr(valid.get(name)) != repr(wrong.get(name))}  # True == 1


def _given(values: Values) -> Values:
    return {name: value for name, value in values.items() if value is not None}


def warned(title: str, resource: str, valid: Values, change: Mapping[str, Any], *said: str) -> Row:
    """Return a row of which check warns in the vendor's dialect."""
    return Row(resource, _given(valid), change, warned=said, config=THERE, title=title)


def refused(title: str, resource: str, valid: Values, change: Mapping[str, Any], *said: str) -> Row:
    """Return a row that check refuses in the vendor's dialect."""
    return Row(resource, _given(valid), change, said, config=THERE, title=title)


@dataclass(frozen=True)
class Usual:
    """Valid inputs of a resource; rows have others in place of some, which are valid (`passes`) or wrong (`fails`)."""

    resource: str
    inputs: Values

    def row(
        self, passes: Values, fails: Values, refused: tuple[str, ...], warned: tuple[str, ...], **config: Any
    ) -> Row:
        """Return a row."""
        valid, wrong = _given({**self.inputs, **passes}), _given({**self.inputs, **fails})
        return Row(self.resource, valid, from_one_to_other(valid, wrong), refused, warned, config=config)

    def rule(self, passes: Values, fails: Values, *refused: str, **config: Any) -> Row:
        """Return a row that check refuses, in the neutral dialect unless only the other has this resource."""
        only = RESOURCES[self.resource].type.only
        return self.row(passes, fails, refused, (), **{"vocabulary": only.value if only else "neutral", **config})

    def of_vendor(self, passes: Values, fails: Values, *refused: str) -> Row:
        """Return a row that check refuses in the vendor's dialect."""
        return self.row(passes, fails, refused, (), **THERE)

    def warned(self, passes: Values, fails: Values, *warned: str, failures: tuple[str, ...] = (), **config: Any) -> Row:
        """Return a row of which check warns in the vendor's dialect."""
        return self.row(passes, fails, failures, warned, **{**THERE, **config})

    def only_there(self, **values: Any) -> list[Row]:
        """Rows of properties that only the vendor's dialect has."""
        text = "is supported only with clouddb:vocabulary=clickhouse"
        return [self.rule({}, {name: each}, f"{name} {text}") for name, each in values.items()]

    def lengths(self, **most: int) -> list[Row]:
        """Rows of maximum lengths of texts, in the vendor's dialect."""
        return [
            self.of_vendor(
                {name: "n" * limit},
                {name: "n" * (limit + 1)},
                f"{name} must have at most {limit} characters but has {limit + 1}",
            )
            for name, limit in most.items()
        ]

    def limits(self, name: str, least: float, most: float, below: float, above: float) -> list[Row]:
        """Rows of a range: both ends pass, values just outside fail with the limit and the value."""
        return [
            self.rule({name: least}, {name: below}, f"{name} must be at least {least}, not {below}"),
            self.rule({name: most}, {name: above}, f"{name} must be at most {most}, not {above}"),
        ]

    def wrong_types(self, kinds: dict[str, tuple[Any, Any, str]]) -> list[Row]:
        """Rows of types: for each property a good value, a bad one, and the expected type in words."""
        return [
            self.rule({name: good}, {name: bad}, f"{name} {must}, not {bad!r}")
            for name, (good, bad, must) in kinds.items()
        ]

    def one_of(self, name: str, allowed: str) -> list[Row]:
        """Rows of an enum with its values in one text: each passes, any other fails with the list of values."""
        words = allowed.split()
        failure = f"{name} must be one of {', '.join(words)}, not 'other'"
        return [self.rule({name: word}, {name: "other"}, failure) for word in words]

    def uuids(self, *names: str) -> list[Row]:
        """Rows of ids."""
        return [self.rule({name: UUID}, {name: "s-1"}, f"{name} must be a UUID, not 's-1'{IDS}") for name in names]

    def required(self, *names: str) -> list[Row]:
        """Rows of required properties."""
        return [self.rule({}, {name: None}, f"{name} is required") for name in names]

    def filled(self, **values: Any) -> list[Row]:
        """Rows of texts that must not be blank."""
        return [
            self.rule({name: value}, {name: " "}, f"{name} must not be empty, not ' '")
            for name, value in values.items()
        ]


# -- the player --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """What check says of inputs: failures and warnings, each with its path, and the inputs with defaults."""

    refused: list[Failure]
    warned: list[Failure]
    inputs: WireDict

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """The messages."""
        return [*map(str, self.refused)], [*map(str, self.warned)]


def said_of(row: Row, inputs: Values, *, secret: bool = False) -> Said:
    """Return what check says of inputs, all of which may be secret."""
    session = ProviderProcess(_config(*row.config.items()), Path())
    if row.resource in ELSEWHERE:
        return Said(ELSEWHERE[row.resource](inputs), [], inputs)
    if row.resource in FUNCTIONS:
        findings = findings_of(FUNCTIONS[row.resource].type.inputs, inputs, session.rules)
        return Said(findings.failures, findings.warnings, inputs)
    handler = RESOURCES[row.resource]
    result = handler.check(session, inputs, {*inputs} if secret else ())
    failures = list(result.failures)
    if row.at == "" and (late := handler.server_refusal(session, result.inputs, None)):
        failures.append(Failure("", str(late)))
    texts = [each.removeprefix(f"{row.resource}.") for each in session.warnings if _DEPRECATED not in each]
    warnings = [each.partition("\n")[0].partition(" ") for each in texts]
    return Said(failures, [Failure(path, reason) for path, _, reason in warnings], result.inputs)


POST_DASHBOARD, CONFIGURATION = "POST /dashboards", "the configuration"
ELSEWHERE: Mapping[str, Callable[[Values], list[Failure]]] = {
    POST_DASHBOARD: lambda body: [Failure("", each) for each in dashboard_errors(body, CreateBody)],
    CONFIGURATION: settings_failures,
}
"""What has rules beside resources and functions: a server, of what check fills in, and the provider itself."""


@functools.cache
def _config(*values: tuple[str, Any]) -> ProviderConfig:
    return config_of(**{**_SETTINGS, **dict(values)})


def play(row: Row) -> None:
    """Assert that check says of a mistake what its row has, in any form of the inputs, and nothing else."""
    valid = said_of(row, row.valid)
    assert (*valid.texts, {**valid.inputs, **row.valid}) == ([], [], valid.inputs)
    said = said_of(row, row.wrong)
    if row.at is not None:
        assert row.at in [each.path for each in (*said.refused, *said.warned)]
    else:
        for messages, parts in zip(said.texts, (row.refused, row.warned), strict=True):
            assert len(messages) == len(parts), f"expected {[*parts]}, and check says {[*messages]}"
            other = [
                f"{part!r} is not in {each!r}" for part, each in zip(parts, messages, strict=True) if part not in each
            ]
            assert other == [], "; ".join(other)
    as_floats = json.loads(json.dumps(row.wrong), parse_int=float)  # Pulumi carries numbers so
    assert said_of(row, as_floats).texts == said.texts
    if row.resource in ELSEWHERE:
        return
    unknown = changed(row.valid, dict.fromkeys(row.change, UNKNOWN))
    assert said_of(row, unknown).texts == ([], [])
    if row.resource not in FUNCTIONS:
        _play_secret(row, said)


def _play_secret(row: Row, said: Said) -> None:
    """Assert that a mistake in secrets is found as well, and not quoted."""
    hidden = said_of(row, row.wrong, secret=True)
    assert (len(hidden.refused), len(hidden.warned)) == (len(said.refused), len(said.warned))
    quoting = [each for each in (*hidden.refused, *hidden.warned) if not quotes_nothing(each)]
    assert [each for each in quoting if each in hidden.refused and row.at is None] == []
    given = {text for value in row.change.values() for text in _texts(value)}
    assert [each for each in quoting if any(map(each.reason.__contains__, given))] == []


def _texts(value: object) -> Iterator[str]:
    """Yield the texts in a value that no message has by chance."""
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str) and len(value) > 12:
        yield value
