"""Scalings of pipes and API keys: adoption, restoration, rotation."""

from __future__ import annotations

from typing import Any

from lives.life import a_key, a_pipe, an_archive_pipe

from .case import Case, Run, Step
from .differences import PREVIEWS
from .steps import (
    change,
    check,
    create,
    delete,
    diff,
    fault,
    from_here_on,
    has,
    invoke,
    later_command,
    preview_update,
    refresh,
    update,
)

PIPE = {"serviceId": "$service_id", "pipeId": "$pipe_id"}
KEY = {"name": "ci", "roles": ["developer"]}
CLICKHOUSE = {"vocabulary": "clickhouse"}
ROLE, OTHER_ROLE = "8b7f5f6e-3a52-4d0e-9b27-0c5a1d2e3f40", "1d2e3f40-3a52-4d0e-9b27-8b7f5f6e0c5a"
ADOPTED = {"keyId": "$key_id", "name": "adopted"}
UUID = "11111111-2222-4333-8444-555555555555"


def scaling(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a scaling."""
    return Case(f"scaling: {name}", "PipeScaling", steps, **{"setting": a_pipe, **more})


def _has_roles(run: Run, *roles: str) -> None:
    assert run.sandbox.keys[run.id]["roles"] == [*roles]


def _has_role_ids(run: Run, *ids: str) -> None:
    assert run.sandbox.keys[run.id]["assignedRoleIds"] == [*ids]


def key(name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of a key."""
    return Case(f"key: {name}", "ApiKey", steps, **more)


CASES = [
    scaling(
        "a create reads the pipe before it changes it",
        create({**PIPE, "replicas": 3}),
        sends=("get_pipe", "scale_pipe"),
    ),
    scaling("one without fields sends nothing", create(PIPE), sends=("get_pipe",)),
    scaling(
        "a pipe that does not exist is an error",
        create(
            {**PIPE, "pipeId": UUID, "replicas": 2},
            fails="PipeScaling .* does not exist.*\nCheck the ids of both; listPipes and the console show them",
        ),
        invoke("listPipes", {"serviceId": "$service_id"}),
        create({**PIPE, "replicas": 2}),
    ),
    scaling(
        "a removed field gets its original value",
        create({**PIPE, "replicas": 3, "replicaMemoryGb": 2}),
        update({**PIPE, "replicas": 3}),
        diff({**PIPE, "replicas": 3}, changes=False),
    ),
    scaling(
        "deleting restores only what was set",
        create({**PIPE, "replicas": 3}),
        from_here_on(),
        delete(),
        sends=("scale_pipe",),
    ),
    scaling(
        "deleting may retain the values",
        create({**PIPE, "replicas": 3, "onDelete": "retain"}),
        from_here_on(),
        delete(),
        sends=(),
    ),
    scaling(
        "deleting without a change sends nothing",
        create({**PIPE, "replicas": 1}),
        from_here_on(),
        delete(),
        sends=(),
    ),
    scaling(
        "sizes that the server returns as quantities",
        create({**PIPE, "replicaMemoryGb": 2.5, "replicaCpuMillicores": 500}),
        later_command(),
        refresh(),
        diff({**PIPE, "replicaMemoryGb": 2.5, "replicaCpuMillicores": 500}, changes=False),
        server={"quantities": True},
    ),
    scaling(
        "a server with documented operations only",
        create({**PIPE, "concurrency": 3}),
        later_command(),
        refresh(),
        update({**PIPE, "concurrency": 5}),
        delete(),
        setting=an_archive_pipe,
        server={"documented_only": True},
    ),
    scaling(
        "another pipe is a replacement",
        has({"serviceId": UUID, "pipeId": UUID, "replicas": 2}),
        diff({"serviceId": UUID, "pipeId": "b", "replicas": 2}, replaces=["pipeId"]),
        server=None,
    ),
    scaling(
        "an invalid id is rejected",
        has({"serviceId": UUID, "pipeId": UUID}, "no-slash"),
        refresh(fails="'no-slash' is not the id of a PipeScaling\nWrite SERVICE_ID/PIPE_ID."),
        server=None,
    ),
    scaling(
        "check reports the limits",
        check(
            {"serviceId": "s", "replicas": 11, "concurrency": -1},
            failures=["replicas", "concurrency", "serviceId", "pipeId"],
        ),
        server=None,
    ),
    scaling(
        "check uses the vendor's limits in the clickhouse dialect",
        check({"serviceId": UUID, "pipeId": UUID, "replicas": 40}, failures=[]),
        server=None,
        config={"clouddb:vocabulary": "clickhouse"},
    ),
    key(
        "its secret is marked, and survives a refresh and an update",
        create(KEY, secrets=["keySecret"]),
        later_command(),
        refresh(secrets=["keySecret"]),
        update({**KEY, "name": "cd"}, secrets=["keySecret"]),
    ),
    key(
        "a key whose secret is lost with the response is created again",
        fault("create_key", "lose"),
        create(KEY, secrets=["keySecret"]),
        sends=("list_keys", "create_key", "delete_key", "create_key"),
    ),
    key(
        "a key whose secret is lost each time is deleted",
        fault("create_key", "lose", times=3),
        create(
            KEY,
            fails="was created 3 times, and its secret was lost with the response each time\n"
            "Run again once the connection is better: these keys were deleted.",
        ),
        create(KEY, secrets=["keySecret"]),
    ),
    key(
        "a delete that gets 404 for a listed key is an error",
        create(KEY),
        fault("delete_key", "not_found"),
        delete(
            fails="is not deleted: the server responds that it does not exist, and still lists it\n"
            "Run again; if that does not help, delete the key in the console."
        ),
        delete(),
    ),
    key(
        "a missing key cannot be adopted",
        create(
            {**ADOPTED, "keyId": UUID},
            fails="API key .* does not exist in this organization\n"
            "Check keyId: it is the id of the key's record, not the user name of HTTP Basic.",
        ),
        create(ADOPTED),
        setting=a_key,
    ),
    key(
        "adopting sends the differences, and deleting restores the key",
        create({**ADOPTED, "roles": ["developer"]}),
        delete(),
        setting=a_key,
        warns=("API key ",),
    ),
    key(
        "an adopted key may be retained",
        create({**ADOPTED, "onDelete": "retain"}),
        from_here_on(),
        delete(),
        setting=a_key,
        sends=(),
    ),
    key(
        "an adopted key may be deleted",
        create({**ADOPTED, "onDelete": "delete"}),
        from_here_on(),
        delete(),
        setting=a_key,
        warns=(),
        sends=("delete_key",),
    ),
    key(
        "a key may be disabled instead of deleted",
        create({**KEY, "onDelete": "disable"}),
        from_here_on(),
        delete(),
        sends=("update_key",),
    ),
    key(
        "a removed expiry means never",
        create({**KEY, "expireAt": "2030-01-01T00:00:00Z"}),
        update(KEY),
        later_command(),
        refresh(),
        diff(KEY, changes=False),
    ),
    key(
        "another form of a time is not a change",
        has({**KEY, "expireAt": "2030-01-01T00:00:00Z"}),
        diff({**KEY, "expireAt": "2030-01-01T01:00:00+01:00"}, changes=False),
        server=None,
    ),
    key(
        "another order of roles is not a change",
        has({**KEY, "roles": ["a", "b"]}),
        diff({**KEY, "roles": ["b", "a"]}, changes=False),
        server=None,
    ),
    key(
        "a rotation creates the new key before it deletes the old one",
        has(KEY),
        diff(
            {**KEY, "rotation": "2027"}, replaces=["rotation"], deleteFirst=False, details={"rotation": "ADD_REPLACE"}
        ),
        server=None,
    ),
    key(
        "removing keyId is a replacement",
        has({**KEY, "keyId": UUID}),
        diff(KEY, replaces=["keyId"], details={"keyId": "DELETE_REPLACE"}),
        server=None,
    ),
    key(
        "an expiry in the past is rejected, unless the key has it already",
        has({**KEY, "expireAt": "2020-01-01T00:00:00Z"}),
        check({**KEY, "expireAt": "2020-01-01T01:00:00+01:00"}, failures=[]),
        check({**KEY, "expireAt": "2020-01-02T00:00:00Z"}, failures=["expireAt"]),
        server=None,
    ),
    key(
        "role ids are created, read, changed by hand, and repaired",
        create({"name": "ci", "assignedRoleIds": [ROLE, OTHER_ROLE.upper()]}),
        diff({"name": "ci", "assignedRoleIds": [OTHER_ROLE, ROLE]}, changes=False),
        later_command(),
        refresh(),
        diff({"name": "ci", "assignedRoleIds": [OTHER_ROLE, ROLE]}, changes=False),
        change(lambda run: run.sandbox.change("keys", run.id, assignedRoleIds=[ROLE])),
        later_command(),
        refresh(),
        diff({"name": "ci", "assignedRoleIds": [OTHER_ROLE, ROLE]}, changes=True),
        diff({"name": "ci", "assignedRoleIds": [ROLE]}, changes=False),
        preview_update({"name": "ci", "assignedRoleIds": [OTHER_ROLE]}),
        update({"name": "ci", "assignedRoleIds": [OTHER_ROLE]}),
        change(lambda run: _has_role_ids(run, OTHER_ROLE)),
        preview_update({"name": "ci", "roles": ["developer"]}),
        update({"name": "ci", "roles": ["developer"]}),
        server=CLICKHOUSE,
        differs=frozenset({PREVIEWS}),
    ),
    key(
        "an adopted key gets its roles back, in either form of roles",
        create({"keyId": "$key_id", "assignedRoleIds": [ROLE]}),
        later_command(),
        update({"keyId": "$key_id", "roles": ["query_endpoints"]}),
        change(lambda run: _has_roles(run, "query_endpoints")),
        delete(),
        change(lambda run: _has_roles(run, "developer")),
        setting=a_key,
        server=CLICKHOUSE,
    ),
    key("check reports what a new key needs", check({}, failures=["name", "roles"]), server=None),
    key(
        "check reports what an adopted key must not have",
        check({"keyId": UUID, "rotation": "1", "onDelete": "delete"}, failures=["rotation"]),
        server=None,
    ),
    key(
        "adopted on a server with documented operations only",
        create(ADOPTED),
        later_command(),
        refresh(),
        update({**ADOPTED, "name": "again"}),
        delete(),
        setting=a_key,
        server={"documented_only": True},
    ),
]
