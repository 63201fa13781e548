"""A list that cannot be read before or after a create: the error says what state the object is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pulumi_clouddb.client.errors import InvalidResponseError, ResourceError
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.sandbox import Sandbox
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.services.api import Services
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
    "an error of the server": ("status", {"status": 500}, ": 500 ", "Nothing was read; run again when the server"),
    "no answer in time": ("hang", {}, "it took more than 1 s", "Nothing was read; run again when the server"),
    "no permission": ("status", {"status": 403}, ": 403 ", "Check the key"),
}
STATES = {
    "service": "Nothing was created, and service 'Orders' may exist already.",
    "webhook": "Nothing was created, and webhook 'On call' may exist already.",
    "key": "Nothing was created.",
}
Run = Callable[[], ProviderProcess]


@pytest.fixture
def run(sandbox: Sandbox, tmp_path: Path) -> Iterator[Run]:
    """Begin a run of the stack on this machine, which repeats nothing."""
    begun = []

    def begin() -> ProviderProcess:
        limits = {"requestTimeoutSeconds": 1, "retryTimeoutSeconds": 0, "pollIntervalSeconds": 0.1}
        begun.append(ProviderProcess(config_for(sandbox, **limits), tmp_path))
        return begun[-1]

    yield begin
    for process in begun:
        process.client.close()


@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize(("fault", "details", "what", "hint"), TROUBLES.values(), ids=TROUBLES)
def test_before_anything_is_created(
    name: str, fault: str, details: dict[str, Any], what: str, hint: str, sandbox: Sandbox, run: Run
) -> None:
    """It says that nothing was created, and that there may be one of the name; another run creates it."""
    kind, operation, inputs, tried = OBJECTS[name]
    sandbox.fault(operation, fault, **details)
    with pytest.raises(ResourceError) as failed:
        run().create(kind, inputs)
    first, second = str(failed.value).split("\n")
    assert first.startswith(tried)
    assert what in first
    assert second.startswith(f"{STATES[name]} {hint}")
    sandbox.clear_faults()
    run().create(kind, inputs)


def test_after_a_lost_response(sandbox: Sandbox, run: Run) -> None:
    """It says that the object may have been created, in the run that lost the response and in those that follow."""
    kind, operation, inputs, tried = OBJECTS["service"]
    sandbox.fault("create_service", "lose")
    sandbox.fault(operation, "status", status=500, after=1, times=99)
    for state in ("It may have been created", "An interrupted run may have created it"):
        with pytest.raises(ResourceError) as failed:
            run().create(kind, inputs)
        first, second = str(failed.value).split("\n")
        assert first.startswith(tried)
        assert second.startswith(f"{state}; the next run looks for it. Nothing was read; run again when")
    sandbox.clear_faults()
    made, state_of = run().create(kind, inputs)
    assert list(sandbox.services) == [made]
    assert sandbox.password_works(made, state_of["password"])


class SlowReader(Runtime):
    """A clock on which every look takes a moment."""

    looks = 0

    def monotonic(self) -> float:
        """Return a later time than before."""
        self.looks += 1
        return super().monotonic() + self.looks / 10


def test_a_list_of_more_than_can_be_read_in_time(sandbox: Sandbox) -> None:
    """What takes longer to read than a request may take is refused: a run is not silent for half a minute."""
    for number in range(60):
        sandbox.add("services", name=f"service {number}", provider="aws", region="us-east-1")
    session = Session(config_for(sandbox, requestTimeoutSeconds=3), scope="", warn=pytest.fail, runtime=SlowReader())
    with pytest.raises(InvalidResponseError, match="too many to read in 3 s") as failed:
        session.api.of(Services).list()
    assert str(failed.value).endswith("\nCheck the address of the API, or raise clouddb:requestTimeoutSeconds.")
    session.client.close()
