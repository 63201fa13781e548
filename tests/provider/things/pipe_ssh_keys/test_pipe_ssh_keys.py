"""SSH keys of pipes: validations, unique names, replacements and lost responses."""

from __future__ import annotations

from typing import Any

import pytest

from clouddb_tools.sandbox import Sandbox
from lives.life import a_service
from pulumi_clouddb.client.errors import AmbiguousError, ResourceError
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.values import UNKNOWN, WireDict
from pulumi_clouddb.things.pipe_ssh_keys.api import PipeSshKeys
from support.sessions import ProviderProcess

KIND = "pipe_ssh_keys"
KEY = RESOURCES["PipeSshKey"]
VALIDATED = {"validateConnection": True}
REPAIRED = ("status",)


def key(sandbox: Sandbox, **more: Any) -> WireDict:
    """Return the inputs of a key of a new service."""
    usual = {"name": "Bastion", "host": "bastion.example.com", "username": "pipes", "port": 22}
    return {"serviceId": a_service(sandbox)["service_id"], **usual, **more}


def refreshed(process: ProviderProcess, id_: str, state: WireDict) -> WireDict:
    """Return the state of a key from a list that is requested now."""
    process.api.of(PipeSshKeys, state["serviceId"]).invalidate()
    return process.read("PipeSshKey", id_, state).state


def test_update_validates_the_connection(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A new key is pending; the update needs one request, and the next one none."""
    inputs = key(sandbox)
    id_, state = process.create("PipeSshKey", inputs)
    assert (state["status"], state["publicKey"][:12]) == ("pending", "ssh-ed25519 ")
    assert process.changes("PipeSshKey", state, inputs) == ()
    state = process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})
    assert state["status"] == "active"
    assert state["lastValidatedAt"]
    assert process.changes("PipeSshKey", state, {**inputs, **VALIDATED}) == ()
    process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})
    process.update("PipeSshKey", id_, state, inputs)
    assert sandbox.count("validate_pipe_ssh_key") == 1
    process.delete("PipeSshKey", id_, state)
    assert sandbox.objects(KIND) == {}


def test_create_does_not_validate(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Nobody can have installed the public key; the warning says so, and the next run validates it."""
    inputs = key(sandbox, **VALIDATED)
    id_, state = process.create("PipeSshKey", inputs)
    assert "Install its publicKey for pipes on bastion.example.com, then run again." in process.warnings[-1]
    assert sandbox.count("validate_pipe_ssh_key") == 0
    assert process.changes("PipeSshKey", state, inputs) == REPAIRED
    state = process.update("PipeSshKey", id_, state, inputs)
    assert process.changes("PipeSshKey", state, inputs) == ()


def test_failed_validation_is_an_error(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It has the server's reason; each later run validates again."""
    inputs = key(sandbox, host="bastion.invalid", **VALIDATED)
    id_, state = process.create("PipeSshKey", inputs)
    for _ in range(2):
        with pytest.raises(ResourceError, match=r"'Bastion' \(id .*ENOTFOUND bastion.invalid\nInstall its publicKey"):
            process.update("PipeSshKey", id_, state, inputs)
        state = refreshed(process, id_, state)
        assert (state["status"], process.changes("PipeSshKey", state, inputs)) == ("failed", REPAIRED)
    without = {name: value for name, value in inputs.items() if name not in VALIDATED}
    state = process.update("PipeSshKey", id_, state, without)
    assert process.changes("PipeSshKey", state, without) == ()


def test_validation_that_failed_elsewhere_is_repeated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Only a program that asks for validations sees it as drift."""
    inputs = key(sandbox)
    id_, state = process.create("PipeSshKey", inputs)
    validated = process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})
    sandbox.change(KIND, id_, status="failed", statusMessage="Connection refused")
    assert process.changes("PipeSshKey", refreshed(process, id_, state), inputs) == ()
    drifted = refreshed(process, id_, validated)
    assert process.changes("PipeSshKey", drifted, {**inputs, **VALIDATED}) == REPAIRED
    assert process.update("PipeSshKey", id_, drifted, {**inputs, **VALIDATED})["status"] == "active"


def test_lost_validation_is_repeated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """A second one does no harm; if all responses are lost, the next run validates."""
    inputs = key(sandbox)
    id_, state = process.create("PipeSshKey", inputs)
    sandbox.fault("validate_pipe_ssh_key", "lose")
    assert process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})["status"] == "active"
    assert sandbox.count("validate_pipe_ssh_key") == 2
    sandbox.fault("validate_pipe_ssh_key", "lose", times=3)
    with pytest.raises(AmbiguousError):
        process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})


def test_preview_of_a_validation_keeps_the_public_key(process: ProviderProcess, sandbox: Sandbox) -> None:
    """Whatever installs the key must not change with it."""
    inputs = key(sandbox)
    _, state = process.create("PipeSshKey", inputs)
    outputs = KEY.preview_outputs(state, {**inputs, **VALIDATED})
    assert (outputs["publicKey"], outputs["status"]) == (state["publicKey"], UNKNOWN)


OTHERS: WireDict = {"name": "Other", "host": "other.example.com", "username": "other", "port": 23, "description": "New"}


@pytest.mark.parametrize("name", [*OTHERS, "no description"])
def test_each_input_replaces(name: str, process: ProviderProcess, sandbox: Sandbox) -> None:
    """A replacement that keeps the unique name deletes the old key first."""
    inputs = key(sandbox, description="Shop")
    _, state = process.create("PipeSshKey", inputs)
    changed = {**inputs, name: OTHERS[name]} if name in OTHERS else {**inputs, "description": None}
    result = KEY.diff(state, {each: value for each, value in changed.items() if value is not None})
    assert result.replaces == (name.removeprefix("no "),)
    assert result.delete_before_replace is (name != "name")


def test_port_has_a_default(process: ProviderProcess, sandbox: Sandbox) -> None:
    """It is sent, as the vendor's own client does."""
    inputs = {name: value for name, value in key(sandbox).items() if name != "port"}
    assert KEY.check(process, inputs).inputs["port"] == 22


def test_name_is_unique_within_a_service(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The error names the existing key; another service can have the name."""
    inputs = key(sandbox)
    id_, _ = process.create("PipeSshKey", inputs)
    with pytest.raises(ResourceError, match=f"exists already, with the id {id_}"):
        process.create("PipeSshKey", inputs, urn="urn:other")
    process.create("PipeSshKey", key(sandbox), urn="urn:elsewhere")
    assert len(sandbox.objects(KIND)) == 2


def test_lost_create_is_adopted(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The name is unique, and the record has the time of creation."""
    sandbox.fault("create_pipe_ssh_key", "lose")
    id_, state = process.create("PipeSshKey", key(sandbox))
    assert [*sandbox.objects(KIND)] == [id_]
    assert state["publicKey"]


def test_key_that_somebody_deleted_is_not_validated(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The server's 404 is the error."""
    inputs = key(sandbox)
    id_, state = process.create("PipeSshKey", inputs)
    sandbox.remove(KIND, id_)
    with pytest.raises(ResourceError, match=r"not found.*\nIf somebody has deleted it"):
        process.update("PipeSshKey", id_, state, {**inputs, **VALIDATED})


def test_import_requires_the_service(process: ProviderProcess, sandbox: Sandbox) -> None:
    """The import id is `SERVICE_ID/ID`."""
    inputs = key(sandbox, port=2222, description="Shop")
    id_, _ = process.create("PipeSshKey", inputs)
    with pytest.raises(ResourceError, match=f"Write SERVICE_ID/{id_}"):
        lifecycle.read(process, KEY, id_, {}, {})
    assert process.read("PipeSshKey", f"{inputs['serviceId']}/{id_}", {}).inputs == inputs
