"""A secret that check rejects is never shown: of any input, at any depth, for any reason.

The inputs are derived from the models, so that new properties are covered automatically.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.testing import Secret
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Model, prop
from pulumi_clouddb.schema.check.findings import failures_of
from pulumi_clouddb.schema.public_names import in_python
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


# -- how a program passes a secret -------------------------------------------------------------------------------------

Mark = Callable[[str, int, Any], Values]
"""Returns inputs of a resource with marked values in all properties at this depth."""


def _itself(kind: str, depth: int, value: Any) -> Values:
    return inputs_of(RESOURCES[kind].type.inputs, depth, lambda _: Secret(value))


def _whole_input(kind: str, depth: int, value: Any) -> Values:
    return {name: Secret(each) for name, each in _plain(kind, depth, value).items()}


def _beside_unknown(kind: str, depth: int, value: Any) -> Values:
    """Add an unknown value to each list."""
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
    "marked beside an unknown value": _beside_unknown,
    "secret by the model": _by_the_model,
}


EVERY_MARK = "Service"
"""Its inputs have lists, objects and maps; how a value is marked is not known to a resource, so others are slow."""

BY_RULE = {kind: set[str]() for kind in RESOURCES} | {
    "Service": {"backupEncryptionConfig.[secret]"},
    "StackRole": {"permissions[0].conditions.[secret]"},
}
"""Places that accept any value, or any value except for a rule over several fields."""


# -- each input of each resource ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """Start a plugin to which the test marks secrets as the engine does."""
    with Listening(NOWHERE, tmp_path_factory.mktemp("plugin")) as process:
        yield process


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DynamicHost]:
    """Start a separate dynamic host: the shared one's messages are searched for the secrets of all tests."""
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
            marks=[pytest.mark.slow] * (dialect != CLICKHOUSE or (mark is not _itself and kind != EVERY_MARK)),
        )
        for kind, dialect, (name, mark) in product(RESOURCES, DIALECTS, MARKS.items())
    ],
)
def test_rejected_secret_is_not_shown(
    kind: str, dialect: str, mark: Mark, host: DynamicHost, plugin: Listening
) -> None:
    """It is in neither a failure of either front end nor an unmarked part of the plugin's response."""
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
def test_failures_do_not_contain_secrets(kind: str, dialect: str, tmp_path: Path) -> None:
    """Resources do not quote secrets themselves; the redaction of messages is only a second safeguard."""
    process = ProviderProcess(config_of(vocabulary=dialect), tmp_path)
    for depth, (what, wrong) in product(depths_of(RESOURCES[kind].type.inputs), WRONG.items()):
        inputs = _plain(kind, depth, wrong)
        failures = RESOURCES[kind].check(process, inputs, inputs.keys()).failures
        assert shown_in("\n".join(map(str, failures))) == [], what


HOOK = "https://me:s3same@hooks.example.com/services/T0C4NARY00/x?key=c4narytoken1"
OF_HOOK = ("s3same", "T0C4NARY00", "c4narytoken1")


@pytest.mark.parametrize(("kind", "dialect"), KINDS)
def test_address_with_credentials_is_not_quoted_whole(kind: str, dialect: str, tmp_path: Path) -> None:
    """That of a webhook in place of its id is a secret that no program has marked."""
    process = ProviderProcess(config_of(vocabulary=dialect), tmp_path)
    for depth in depths_of(RESOURCES[kind].type.inputs):
        failures = RESOURCES[kind].check(process, _plain(kind, depth, HOOK)).failures
        texts = [*map(str, failures), *process.warnings]
        assert [each for each in texts if any(map(each.__contains__, OF_HOOK))] == []


def test_pydantic_messages_of_secrets_are_not_quoted() -> None:
    """They may contain a part of the value."""

    class Dated(Model):
        day: date = prop("When.")

    (failure,) = failures_of(Dated, {"day": CANARY}, secret={"day"})
    assert str(failure) == "day is not valid, not the secret value given"
    (shown,) = failures_of(Dated, {"day": CANARY})
    assert CANARY[:6] in str(shown)


def test_formerly_secret_value_is_not_quoted(host: DynamicHost, plugin: Listening) -> None:
    """State still contains it encrypted, so it stays secret in messages."""
    _configure(host, "neutral")
    _configure(plugin, "neutral")
    olds, news = {"name": Secret("c4nary!")}, {"name": "c4nary!"}
    (failure,) = plugin.check("Service", news, olds).failures
    assert host.check("Service", news, registered(olds)).failures == [failure]
    assert failure == "name must contain only letters, digits and spaces, not '[secret]'"


@pytest.mark.parametrize("kind", RESOURCES)
def test_each_place_rejects_some_value(kind: str, tmp_path: Path) -> None:
    """This makes the tests above meaningful for each property at each depth."""
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
