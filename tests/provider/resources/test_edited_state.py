"""State that was edited by hand, or is of a newer version: an error that does not quote a value; nothing is sent."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY
from pulumi_clouddb.schema._version import VERSION
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import FrontEnds
from support.grpc_driver import GrpcDriver, HostError

DATA = Path(__file__).parents[2] / "data" / "state"
ODD_VALUES: tuple[Any, ...] = ("seven of nine", 7.5, -1, True, [], {}, [None], {"seven": [9]}, ["nine"], None)
SAMPLES = 20
FAULT = "fault of pulumi-clouddb"
ADVICE = "Correct it: `pulumi stack export --file state.json`, edit the file, `pulumi stack import --file state.json`."


@pytest.fixture(params=[pytest.param("neutral", marks=pytest.mark.slow), "clickhouse"])
def entries(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    """Return stored state of each resource in a dialect."""
    stored: list[dict[str, Any]] = json.loads((DATA / request.param / "native.json").read_text(encoding="utf-8"))
    return stored


def paths(value: object, above: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each part of a value."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield (*above, key)
        yield from paths(part, (*above, key))


def edited(values: dict[str, Any], path: tuple[str | int, ...], value: object) -> dict[str, Any]:
    """Return a copy of values with another value at a path."""
    copy: Any = json.loads(json.dumps(values))
    place = copy
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return dict(copy)


def errors(driver: GrpcDriver, entry: dict[str, Any], state: dict[str, Any]) -> list[str]:
    """Return the errors of the operations on an object with this state."""
    resource, object_id, inputs = entry["resource"], entry["id"], entry["inputs"]
    texts = (
        error_of(lambda: driver.diff(resource, object_id, state, inputs)),
        error_of(lambda: driver.update(resource, object_id, state, inputs, preview=True)),
        error_of(lambda: driver.update(resource, object_id, state, inputs)),
        error_of(lambda: driver.read(resource, object_id, state)),
        error_of(lambda: driver.delete(resource, object_id, state)),
    )
    return list(filter(None, texts))


def error_of(act: Callable[[], object]) -> str:
    """Return the error that a call raises, or an empty text."""
    try:
        act()
    except HostError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", range(2))
def test_no_edit_causes_a_traceback(entries: list[dict[str, Any]], seed: int, processes: FrontEnds) -> None:
    """With any value in state, an operation works or raises a clear error, in both front ends."""
    chance = random.Random(seed)  # noqa: S311 (draws samples)
    with Sandbox(vocabulary="neutral") as sandbox:
        processes.configure(sandbox.config)
        for _ in range(SAMPLES):
            entry = chance.choice(entries)
            path, value = chance.choice(list(paths(entry["outputs"]))), chance.choice(ODD_VALUES)
            state = edited(entry["outputs"], path, value)
            messages = []
            for driver in (processes.dynamic, processes.native):
                sandbox.reset()
                messages.append(errors(driver, entry, state))
                assert FAULT not in "\n".join(messages[-1]), (entry["resource"], path, value)
                for text in messages[-1]:
                    assert "cannot be used" not in text or str(path[0]) in text or in_python(str(path[0])) in text
                if any("cannot be used" in text for text in messages[-1]):
                    assert sandbox.requests == []


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("numReplicas", "hunter2", "numReplicas must be a number, and is text"),
        ("ipAccessList", {"source": "hunter2"}, "ipAccessList must be a list, and is an object"),
        ("ipAccessList", [{"source": 7}], "ipAccessList[0].source must be text, and is a number"),
        ("endpoints", [["hunter2"]], "endpoints[0] must be an object, and is a list"),
        ("idleScaling", "true", "idleScaling must be true or false, and is text"),
        ("__managed", "hunter2", "__managed must be a list of names"),
    ],
)
def test_invalid_property_of_state_is_named(name: str, value: object, problem: str, processes: FrontEnds) -> None:
    """The error has the property, the expected type and the way to correct it, but not the value."""
    entry = json.loads((DATA / "neutral" / "native.json").read_text(encoding="utf-8"))[0]
    state = {**entry["outputs"], name: value}
    with Sandbox(vocabulary="neutral") as sandbox:
        processes.configure(sandbox.config)
        for driver in (processes.dynamic, processes.native):
            texts = errors(driver, entry, state)
            assert texts
            for text in texts:
                assert problem in text or in_python(problem) in text
                assert ADVICE in text
                assert "hunter2" not in text
        assert sandbox.requests == []


NEWER: dict[str, tuple[str, tuple[str | int, ...], str]] = {
    "a property": ("Service", ("newThing",), "newThing"),
    "a property of an object": ("Alert", ("channel", "newThing"), "channel.newThing"),
    "a property of an object in a list": ("Dashboard", ("tiles", 0, "newThing"), "tiles[0].newThing"),
    "a property of an object within": (
        "Dashboard",
        ("tiles", 0, "series", 0, "newThing"),
        "tiles[0].series[0].newThing",
    ),
    "another format": ("ApiKey", ("__format",), "__format"),
}


@pytest.mark.parametrize(("resource", "path", "named"), NEWER.values(), ids=NEWER)
def test_state_of_a_newer_version_is_refused(
    resource: str, path: tuple[str | int, ...], named: str, processes: FrontEnds
) -> None:
    """A refresh, an update and a deletion would drop, or overlook, what this version does not know: each is refused."""
    stored = json.loads((DATA / "neutral" / "native.json").read_text(encoding="utf-8"))
    (entry,) = (each for each in stored if each["resource"] == resource)
    state = edited(entry["outputs"], path, 2)
    state["__managed"] = sorted({*state["__managed"], *([] if named == "__format" else path[:1])})
    with Sandbox(vocabulary="neutral") as sandbox:
        processes.configure(sandbox.config)
        for driver in (processes.dynamic, processes.native):
            texts = errors(driver, entry, state)
            assert len(texts) == 5
            for text in texts:
                assert f"has {named}, which pulumi-clouddb {VERSION} does not know: a newer version wrote it" in text
                assert "Install that version, or a newer one; this one changes nothing." in text
        assert sandbox.requests == []


@pytest.mark.parametrize("registration", ODD_VALUES, ids=repr)
def test_invalid_registration_is_ignored(registration: object, processes: FrontEnds) -> None:
    """The generated classes add it in dynamic mode; it may be edited, too."""
    entry = json.loads((DATA / "neutral" / "native.json").read_text(encoding="utf-8"))[0]
    state = {**entry["outputs"], REGISTRATION_KEY: registration}
    with Sandbox(vocabulary="neutral") as sandbox:
        processes.configure(sandbox.config)
        assert FAULT not in "\n".join(errors(processes.dynamic, entry, state))
        nested = {**entry["outputs"], REGISTRATION_KEY: {"urn": registration, "secret": registration}}
        assert FAULT not in "\n".join(errors(processes.dynamic, entry, nested))
