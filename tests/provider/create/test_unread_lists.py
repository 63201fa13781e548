"""A list that cannot be read before or after a create: the error says whether the object may exist."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.errors import InvalidResponseError, ResourceError
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.services.api import Services
from support.sessions import ProviderProcess, config_for

OBJECTS: dict[str, tuple[str, str, WireDict, str]] = {
    "service": (
        "Service",
        "list_services",
        {"name": "Orders", "provider": "aws", "region": "us-east-1"},
        "could not create service 'Orders': could not list the services: GET ",
    ),
    "webhook": (
        "Webhook",
        "self_hosted_list_webhooks",
        {"name": "On call", "service": "generic", "url": "https://events.example.com/a"},
        "could not create webhook 'On call': could not list the webhooks: GET ",
    ),
    "key": (
        "ApiKey",
        "list_keys",
        {"name": "ci", "roles": ["developer"]},
        "could not create API key 'ci': could not list the keys: GET ",
    ),
}
TROUBLES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "a server error": ("status", {"status": 500}, ": 500 ", "Nothing was read; run again when the server"),
    "no response in time": ("hang", {}, "it took more than 1 s", "Nothing was read; run again when the server"),
    "no permission": ("status", {"status": 403}, ": 403 ", "(Check the|The) key"),
}
STATES = {
    "service": "Nothing was created, and service 'Orders' may exist already.",
    "webhook": "Nothing was created, and webhook 'On call' may exist already.",
    "key": "Nothing was created.",
}
Run = Callable[[], ProviderProcess]


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Iterator[Run]:
    """Return a function that starts a run on this machine, without retries."""
    begun = []

    def begin() -> ProviderProcess:
        limits = {"requestTimeoutSeconds": 1, "retryTimeoutSeconds": 0, "pollIntervalSeconds": 0.1}
        begun.append(ProviderProcess(config_for(sandbox, **limits), tmp_path))
        return begun[-1]

    yield begin
    for process in begun:
        process.client.close()


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize(("fault", "details", "reason", "hint"), TROUBLES.values(), ids=TROUBLES)
def test_failed_list_before_a_create(
    name: str, fault: str, details: dict[str, Any], reason: str, hint: str, sandbox: Sandbox, run: Run
) -> None:
    """The error says that nothing was created, and that the name may be taken; another run creates the object."""
    kind, operation, inputs, action = OBJECTS[name]
    sandbox.fault(operation, fault, **details)
    with pytest.raises(ResourceError) as failed:
        run().create(kind, inputs)
    first, second = str(failed.value).split("\n")
    assert first.startswith(action)
    assert reason in first
    assert re.match(f"{re.escape(STATES[name])} {hint}", second)
    sandbox.clear_faults()
    run().create(kind, inputs)


def test_failed_list_after_a_lost_response(sandbox: Sandbox, run: Run) -> None:
    """The error says that the object may have been created, in the same run and in the next ones."""
    kind, operation, inputs, action = OBJECTS["service"]
    sandbox.fault("create_service", "lose")
    sandbox.fault(operation, "status", status=500, after=1, times=99)
    for state in ("It may have been created", "An interrupted run may have created it"):
        with pytest.raises(ResourceError) as failed:
            run().create(kind, inputs)
        first, second = str(failed.value).split("\n")
        assert first.startswith(action)
        assert second.startswith(f"{state}; the next run looks for it. Nothing was read; run again when")
    sandbox.clear_faults()
    made, state_of = run().create(kind, inputs)
    assert list(sandbox.services) == [made]
    assert sandbox.password_works(made, state_of["password"])


class SlowReader(Runtime):
    """A runtime whose clock advances with every reading."""

    readings = 0

    def monotonic(self) -> float:
        """Return a later time than before."""
        self.readings += 1
        return super().monotonic() + self.readings / 10


def test_list_that_takes_too_long_to_parse(sandbox: Sandbox) -> None:
    """Parsing a list is limited to the time of a request: a run does not stall silently."""
    for number in range(60):
        sandbox.add("services", name=f"service {number}", provider="aws", region="us-east-1")
    session = Session(
        config_for(sandbox, requestTimeoutSeconds=3),
        scope="",
        warn=lambda message, _: pytest.fail(message),
        runtime=SlowReader(),
    )
    with pytest.raises(InvalidResponseError, match="too many to read in 3 s") as failed:
        session.api.of(Services).list()
    assert str(failed.value).endswith("\nCheck the address of the API, or raise clouddb:requestTimeoutSeconds.")
    session.client.close()
