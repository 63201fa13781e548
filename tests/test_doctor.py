"""`clouddb doctor`: each fault is planted and found; its fix is done as told, and the finding is gone."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pulumi_clouddb.sandbox import Sandbox
from support import fake_pulumi
from support.doctor import Machine, variables

Plant = Callable[[Machine], None]
"""Plants a fault, and writes down what its user answers when a command asks."""


@pytest.fixture(params=["neutral"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine without a fault: its settings name a sandbox that limits requests, as servers do."""
    with Sandbox(vocabulary=request.param, rate_limit=True) as sandbox:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
        bin_ = fake_pulumi.install(tmp_path / "bin", {})
        healthy = Machine(sandbox, tmp_path, {**clean, **variables(sandbox.config)})
        healthy.environment["CLOUDDB_JOURNAL"] = str(tmp_path / "pending")
        healthy.put_on_path(bin_)
        yield healthy


def of_stack(plant: Plant) -> Plant:
    """Return what plants a fault in the configuration of a stack instead of the environment."""

    def planted(machine: Machine) -> None:
        machine.stack = fake_pulumi.STACK
        for name in variables(machine.sandbox.config):
            machine.environment.pop(name)
        plant(machine)

    return planted


def configured(machine: Machine, **changes: str) -> None:
    """Give the stack its configuration, with changes; an empty value leaves a setting out."""
    renamed = {name.replace("__", ":"): value for name, value in changes.items()}
    config = {**machine.sandbox.config, **{f"clouddb:{name}": value for name, value in renamed.items()}}
    fake_pulumi.install(machine.folder / "bin", {name: value for name, value in config.items() if value})


def closed_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


# -- settings --------------------------------------------------------------------------------------------------------


def misspelt_variable(machine: Machine) -> None:
    """An English spelling."""
    machine.environment["CLOUDDB_ORGANISATION_ID"] = machine.environment.pop("CLOUDDB_ORGANIZATION_ID")


def misspelt_key(machine: Machine) -> None:
    """The same in a stack."""
    configured(machine, organizationId="", organisationId=machine.sandbox.organization_id)


def misspelt_secret(machine: Machine) -> None:
    """Its value goes from one key to the other without being shown."""
    configured(machine, keySecret="", keySecrt=machine.sandbox.key_secret)


def version_in_address(machine: Machine) -> None:
    """What every request adds stands in the address."""
    machine.environment["CLOUDDB_BASE_URL"] += "/v1"


def missing_secret(machine: Machine) -> None:
    """The stack has a key without its secret."""
    configured(machine, keySecret="")
    machine.answers["stdin"] = machine.sandbox.key_secret


# -- addresses -------------------------------------------------------------------------------------------------------


def refused_port(machine: Machine) -> None:
    """Nothing listens."""
    machine.environment["CLOUDDB_BASE_URL"] = f"http://127.0.0.1:{closed_port()}"
    machine.answers["YOUR_BASE_URL"] = machine.sandbox.url


# -- credentials -----------------------------------------------------------------------------------------------------


def wrong_secret(machine: Machine) -> None:
    """Of another key."""
    machine.environment["CLOUDDB_KEY_SECRET"] = "a-secret-of-nobody"
    machine.answers.update(YOUR_KEY_ID=machine.sandbox.key_id, YOUR_KEY_SECRET=machine.sandbox.key_secret)


FAULTS: dict[str, tuple[str, Plant]] = {
    "a misspelt variable": ("misspelt-variable", misspelt_variable),
    "a misspelt setting": ("misspelt-setting", of_stack(misspelt_key)),
    "a misspelt secret": ("misspelt-setting", of_stack(misspelt_secret)),
    "a /v1 too much": ("invalid-setting", version_in_address),
    "a secret that is missing": ("missing-setting", of_stack(missing_secret)),
    "a port that nothing listens on": ("refused", refused_port),
    "a wrong secret": ("refused-credentials", wrong_secret),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_and_its_fix_ends_it(fault: str, machine: Machine) -> None:
    """The finding names a fix that a shell can do; afterwards nothing is wrong at all."""
    code, plant = FAULTS[fault]
    plant(machine)
    found = machine.findings(code)
    assert len(found) == 1, found
    machine.do(found[0]["command"])
    after = machine.report()
    assert [each for each in after["findings"] if each["level"] in ("error", "warning")] == []
    assert after["exitCode"] == 0


def test_the_machine_of_the_tests_is_well(machine: Machine) -> None:
    """Else the tests above would prove nothing. As a user runs it."""
    machine.own_process = True
    report = machine.report()
    assert {each["level"] for each in report["findings"]} <= {"ok", "note"}, report
