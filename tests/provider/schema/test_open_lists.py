"""Lists that the vendor may extend: check warns about other values, and the server decides. Closed ones say why."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.base import Model, extras_of, wire_names
from pulumi_clouddb.schema.check.findings import findings_of
from pulumi_clouddb.schema.check.open_lists import enum_at
from pulumi_clouddb.schema.check.rules import RuleContext
from pulumi_clouddb.schema.choice import ClosedChoice, OpenChoice
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.values import show_path
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE, VocabularyName
from support.front_ends import MakeFrontEnds
from support.refused import properties_of
from support.sessions import ProviderProcess, config_for

NEWER = "7w"
"""A value that no list contains; it has the form of an interval."""
VENDOR = RuleContext(vocabulary=CLICKHOUSE)


def enums() -> set[type[Enum]]:
    """Return the enums of all properties."""
    own = {(ProviderConfig, name) for name in wire_names(ProviderConfig)}
    enum_types = {enum for model, name in own if (enum := enum_at(model, [name])) is not None}
    return enum_types.union(
        enum for kind in RESOURCES.values() for _, enum, _ in places(kind.type.inputs_in(CLICKHOUSE))
    )


def places(model: type[Model]) -> Iterator[tuple[str, type[Enum], dict[str, Any]]]:
    """Yield the path of each property with an enum, the enum, and inputs with a value that no list contains."""
    for path, inputs in properties_of(model, NEWER):
        enum = enum_at(model, path)
        if enum is not None:
            yield show_path(path), enum, inputs


@pytest.mark.parametrize("enum", sorted(enums(), key=str), ids=lambda each: each.__name__)
def test_enum_is_open_or_says_why_it_is_closed(enum: type[Enum]) -> None:
    """An enum is open if the vendor may extend it, and closed if this package depends on its values."""
    assert issubclass(enum, OpenChoice) or (issubclass(enum, ClosedChoice) and enum.because)


@pytest.mark.parametrize("kind", RESOURCES)
def test_open_lists_warn_and_closed_lists_reject(kind: str) -> None:
    """This holds at every depth in the clickhouse dialect; in the neutral one, all lists are closed."""
    model = RESOURCES[kind].type.inputs_in(CLICKHOUSE)
    for path, enum, inputs in places(model):
        found = findings_of(model, inputs, VENDOR)
        if any(each.path == path and each.reason.startswith("must be a list") for each in found.failures):
            continue  # the same value is also in an element of the list
        failures, warnings = ([each.path for each in some] for some in (found.failures, found.warnings))
        is_open = issubclass(enum, OpenChoice)
        assert (path, path in warnings, path in failures) == (path, is_open, not is_open)
        assert path not in [
            each.path for each in findings_of(RESOURCES[kind].type.inputs, inputs, RuleContext()).warnings
        ]


def test_open_list_rejects_other_types() -> None:
    """A region must be text."""
    found = findings_of(RESOURCES["Service"].type.inputs_in(CLICKHOUSE), {"name": "Orders", "region": 1}, VENDOR)
    assert [each.path for each in found.failures] == ["region"]


DURATIONS = {"60m": "1h", "24h": "1d", "300s": "5m", "10m": "5m or 15m", "7d": "1d", "1s": "30s"}


@pytest.mark.parametrize(("given", "near"), DURATIONS.items())
def test_durations_are_near_by_their_length(given: str, near: str) -> None:
    """Their letters are not."""
    found = findings_of(RESOURCES["Alert"].type.inputs_in(CLICKHOUSE), {"interval": given}, VENDOR)
    assert [each.reason.endswith(f"; did you mean {near}?") for each in found.warnings] == [True]


WORDS = {"Abov": ["above"], "below_or_equals": ["below_or_equal"], "above_or_equal": [], "rises": []}


@pytest.mark.parametrize(("given", "near"), WORDS.items())
def test_only_a_misspelt_word_is_doubted_where_the_list_is_not_known(given: str, near: list[str]) -> None:
    """Servers of the neutral dialect may have others, and one may be the opposite of a known one."""
    found = findings_of(RESOURCES["Alert"].type.inputs, {"thresholdType": given}, RuleContext())
    assert [each.reason.rpartition("did you mean ")[2] for each in found.warnings] == [f"{each}?" for each in near]


SIZES = {
    (kind, name)
    for kind, handler in RESOURCES.items()
    for attribute, info in handler.type.inputs_in(CLICKHOUSE).model_fields.items()
    if extras_of(handler.type.inputs_in(CLICKHOUSE), attribute).get("grows") and (name := str(info.alias))
}


@pytest.mark.parametrize(("kind", "name"), sorted(SIZES))
def test_size_limits_are_open_upwards_only(kind: str, name: str) -> None:
    """Memory, cores and replicas above the limits cause a warning; negative ones are rejected."""
    model = RESOURCES[kind].type.inputs_in(CLICKHOUSE)
    (beyond,) = [each for each in findings_of(model, {name: 1_000_001}, VENDOR).warnings if each.path == name]
    assert beyond.reason.endswith("not 1000001, as far as this version knows")
    assert name in [each.path for each in findings_of(model, {name: -1}, VENDOR).failures]
    assert name in [each.path for each in findings_of(RESOURCES[kind].type.inputs, {name: 1_000_001}, None).failures]


def test_both_front_ends_accept_newer_values_with_a_warning(front_ends_of: MakeFrontEnds) -> None:
    """Examples are a public region that the description lacks, and a profile for BYOC."""
    inputs = {"name": "orders", "provider": "aws", "region": "ap-east-2", "profile": "v1-standard-byoc-4"}
    host = front_ends_of(vocabulary="clickhouse")
    assert host.check("Service", inputs).failures == []
    assert [each.partition(",")[0] for each in host.warnings[-2:]] == [
        "Service.region is 'ap-east-2'",
        "Service.profile is 'v1-standard-byoc-4'",
    ]
    assert len(front_ends_of(vocabulary="neutral").check("Service", inputs).failures) == 2


NEWER_OBJECTS: dict[str, tuple[str, dict[str, Any]]] = {
    "a public region": ("Service", {"name": "a", "provider": "aws", "region": "ap-east-2"}),
    "a private region": ("Service", {"name": "b", "provider": "gcp", "region": "gcp-private-eu-1-acme"}),
    "a BYOC profile": (
        "Service",
        {"name": "c", "byocId": "b", "minReplicaMemoryGb": 8, "maxReplicaMemoryGb": 8, "profile": "v1-standard-byoc-4"},
    ),
    "a Postgres service on another cloud": (
        "PostgresService",
        {"name": "d", "provider": "gcp", "region": "us-central1", "size": "c4a-highmem-4"},
    ),
    "a key with a newer role": ("ApiKey", {"name": "e", "roles": ["auditor"]}),
}


@pytest.mark.beyond_the_description
@pytest.mark.parametrize(("kind", "inputs"), NEWER_OBJECTS.values(), ids=NEWER_OBJECTS)
def test_newer_values_are_sent_read_and_imported(kind: str, inputs: dict[str, Any], tmp_path: Path) -> None:
    """They are sent unchanged, read back without drift, and imported as text."""
    with Sandbox(vocabulary=VocabularyName.CLICKHOUSE) as sandbox:
        process = ProviderProcess(config_for(sandbox), tmp_path)
        id_, state = process.create(kind, inputs)
        live = process.read(kind, id_, state)
        assert process.changes(kind, live.state, inputs) == ()
        imported = process.read(kind, id_, {})
        assert inputs.items() <= {**inputs, **imported.inputs}.items()
        for name in set(inputs) & set(imported.inputs):
            assert imported.inputs[name] == inputs[name]


@pytest.mark.parametrize(
    ("password", "doubted"),
    [
        *(
            (each, True)
            for each in ("<password>", "${TOKEN}", "changeme", "Change-Me", "[secret]", "your-token", "****")
        ),
        *((each, False) for each in ("hunter2", "x<y>", "to do it all", '{"a":"b"}', "xxx-xxx", "S3cret-todo")),
    ],
)
def test_placeholder_of_a_secret_names_the_configuration(password: str, doubted: bool) -> None:
    """Any other text may be one; it is not quoted."""
    model = RESOURCES["Connection"].type.inputs_in(CLICKHOUSE)
    found = [each.reason for each in findings_of(model, {"password": password}, VENDOR).warnings]
    assert [each.partition("(")[0] for each in found] == [
        "is a placeholder: write the value in its place, config.require_secret"
    ] * doubted
