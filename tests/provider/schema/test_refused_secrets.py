"""A secret that check refuses is shown nowhere: whichever input it is, at whatever depth, for whatever reason.

The inputs are made from the models. Nobody has to think of a property that is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import Secret
from pulumi_clouddb.engine.dynamic.messages import in_python
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Model, prop
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.values import UNKNOWN
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from support.canaries import registered
from support.front_ends import without_yaml
from support.grpc_driver import GrpcDriver
from support.host import DynamicHost
from support.listening import Listening
from support.refused import CANARY, WRONG, depths_of, inputs_of, places_of, shown_in
from support.sessions import NOWHERE, ProviderProcess, config_of

Values = dict[str, Any]
DIALECTS = ("neutral", "clickhouse")
KINDS = [pytest.param(kind, dialect, id=f"{kind} {dialect}") for kind in RESOURCES for dialect in DIALECTS]


# -- how a program gives a secret --------------------------------------------------------------------------------------

Mark = Callable[[str, int, Any], Values]
"""Returns inputs of a resource with a value in each property so many levels down, and marks."""


def _itself(kind: str, depth: int, value: Any) -> Values:
    return inputs_of(RESOURCES[kind].type.inputs, depth, lambda _: Secret(value))


def _whole_input(kind: str, depth: int, value: Any) -> Values:
    return {name: Secret(each) for name, each in _plain(kind, depth, value).items()}


def _beside_unknown(kind: str, depth: int, value: Any) -> Values:
    """Lists hold a value that a preview cannot know, too."""
    return {name: _with_unknown(each) for name, each in _itself(kind, depth, value).items()}


def _by_the_model(kind: str, depth: int, value: Any) -> Values:
    declared = RESOURCES[kind].type.secrets
    return {name: each for name, each in _plain(kind, depth, value).items() if name in declared}


def _plain(kind: str, depth: int, value: Any) -> Values:
    return inputs_of(RESOURCES[kind].type.inputs, depth, lambda _: value)


def _with_unknown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_unknown(each) for name, each in value.items()}
    return [*map(_with_unknown, value), UNKNOWN] if isinstance(value, list) else value


MARKS: dict[str, Mark] = {
    "marked": _itself,
    "marked as a whole": _whole_input,
    "marked beside what is unknown": _beside_unknown,
    "secret by the model": _by_the_model,
}


DEEPEST = ("Dashboard", "Pipe", "Service")
"""Resources whose inputs have all kinds of types; the others are marked in every way by the slow tests."""

BY_RULE = {kind: set[str]() for kind in RESOURCES} | {
    "StackRole": {"permissions[0].conditions.[secret]"},
}
"""What takes any value but for a rule over several fields, or any at all."""


# -- each input of each resource ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A plugin that is told what is secret, as the engine tells it."""
    with Listening(NOWHERE, tmp_path_factory.mktemp("plugin")) as process:
        yield process


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamicHost]:
    """A dynamic host of its own: each message of the one that all tests share is searched for their secrets, too."""
    with DynamicHost(NOWHERE, tmp_path_factory.mktemp("dynamic")) as process:
        yield process


@pytest.mark.parametrize(
    ("kind", "dialect", "mark"),
    [
        pytest.param(
            kind,
            dialect,
            mark,
            id=f"{kind} {dialect}-{name}",
            marks=[pytest.mark.slow] * (dialect != CLICKHOUSE or (mark is not _itself and kind not in DEEPEST)),
        )
        for kind, dialect, (name, mark) in product(RESOURCES, DIALECTS, MARKS.items())
    ],
)
def test_a_refused_secret_is_shown_nowhere(
    kind: str, dialect: str, mark: Mark, host: DynamicHost, plugin: Listening
) -> None:
    """Neither in a failure of either front end, nor in another part of the plugin's answer that is not marked."""
    _configure(host, dialect)
    _configure(plugin, dialect)
    plugin.plain_texts.clear()
    for depth, (what, wrong) in product(depths_of(RESOURCES[kind].type.inputs), WRONG.items()):
        inputs = mark(kind, depth, wrong)
        native = plugin.check(kind, inputs).failures
        assert host.check(kind, registered(inputs)).failures == list(map(in_python, without_yaml(native)))
        assert shown_in("\n".join(native)) == [], what
    assert shown_in("\n".join(plugin.plain_texts)) == []


@pytest.mark.parametrize(("kind", "dialect"), KINDS)
def test_no_failure_is_made_of_a_secret(kind: str, dialect: str, tmp_path: Path) -> None:
    """The resources themselves quote none: that messages are searched for secrets is only the second safeguard."""
    process = ProviderProcess(config_of(vocabulary=dialect), tmp_path)
    for depth, (what, wrong) in product(depths_of(RESOURCES[kind].type.inputs), WRONG.items()):
        inputs = _plain(kind, depth, wrong)
        failures = RESOURCES[kind].check(process, inputs, inputs.keys()).failures
        assert shown_in("\n".join(map(str, failures))) == [], what


def test_an_error_without_words_of_ours_quotes_nothing() -> None:
    """The words of pydantic may hold a part of the value."""

    class Dated(Model):
        day: date = prop("When.")

    (failure,) = failures_of(Dated, {"day": CANARY}, secret={"day"})
    assert str(failure) == "day is not valid, not the secret value given"
    (open_,) = failures_of(Dated, {"day": CANARY})
    assert CANARY[:6] in str(open_)


def test_what_was_secret_until_now_is_not_quoted(host: DynamicHost, plugin: Listening) -> None:
    """State still holds it encrypted, and the history of the program holds the mark."""
    _configure(host, "neutral")
    _configure(plugin, "neutral")
    olds, news = {"name": Secret("c4nary!")}, {"name": "c4nary!"}
    (told,) = plugin.check("Service", news, olds).failures
    assert host.check("Service", news, registered(olds)).failures == [told]
    assert told == "name must contain only letters, digits and spaces, not '[secret]'"


@pytest.mark.parametrize("kind", RESOURCES)
def test_each_place_is_refused_for_some_reason(kind: str, tmp_path: Path) -> None:
    """So the cases above say something about each property, at each depth."""
    model = RESOURCES[kind].type.inputs
    refused: set[str] = set()
    for dialect in DIALECTS:
        process = ProviderProcess(config_of(vocabulary=dialect), tmp_path)
        for depth, wrong in product(depths_of(model), WRONG.values()):
            inputs = _plain(kind, depth, wrong)
            refused.update(each.path for each in RESOURCES[kind].check(process, inputs, inputs.keys()).failures)
    places = {*places_of(model)}
    assert {place for place in places if not any(path.startswith(place) for path in refused)} == BY_RULE[kind]


def _configure(process: GrpcDriver, dialect: str) -> None:
    process.configure({**NOWHERE, "clouddb:vocabulary": dialect})
