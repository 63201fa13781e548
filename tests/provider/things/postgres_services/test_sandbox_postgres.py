"""Postgres services in the sandbox: it rejects, inherits, removes and returns the same as the vendor's servers."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox

NEW = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
TAGS = [{"key": "team", "value": "shop"}]


def create(sandbox: Sandbox, **more: Any) -> str:
    """Create a running service."""
    return str(sandbox.add("postgres_services", **{**NEW, "tags": TAGS, **more})["id"])


def request(sandbox: Sandbox, method: str, path: str, body: Any = None) -> httpx.Response:
    """Send a request below `/postgres`."""
    with sandbox.management() as http:
        return http.request(method, f"/postgres{path}", json=body)


REJECTED: dict[str, tuple[str, str, Any, str]] = {
    "no size": ("POST", "", {name: NEW[name] for name in NEW if name != "size"}, "request body.size: is required"),
    "a provider that is not text": ("POST", "", {**NEW, "provider": 1}, "request body.provider"),
    "no setting": ("POST", "", {**NEW, "pgConfig": {}}, "request body.pgConfig"),
    "an unknown setting": (
        "POST",
        "",
        {**NEW, "pgConfig": {"x": "1"}},
        "pgConfig: must contain known settings; x is not",
    ),
    "a partial configuration": ("PATCH", "/{id}/config", {"pgConfig": {"work_mem": "8MB"}}, "pgBouncerConfig"),
    "a weak password": ("PATCH", "/{id}/password", {"password": "lowercase-only"}, "an uppercase letter"),
    "an unknown command": ("PATCH", "/{id}/state", {"command": "stop"}, "request body.command"),
    "a primary that is promoted": ("PATCH", "/{id}/state", {"command": "promote"}, "Only a read replica"),
    "a replica without a name": ("POST", "/{id}/readReplica", {}, "request body.name: is required"),
    "a replica of a replica": ("POST", "/{replica}/readReplica", {"name": "x"}, "cannot have read replicas"),
    "a replica of another size": ("PATCH", "/{replica}", {"size": "m6gd.xlarge"}, "cannot be modified"),
    "a replica with a password": ("PATCH", "/{replica}/password", {}, "has the password of its primary"),
    "a restore without a time": ("POST", "/{id}/restoredService", {"name": "x"}, "request body.restoreTarget"),
    "a replica of a new service": ("POST", "/{new}/readReplica", {"name": "x"}, "There are no backups, yet"),
}


@pytest.mark.parametrize(("method", "path", "body", "text"), REJECTED.values(), ids=REJECTED)
def test_sandbox_rejects_invalid_requests(method: str, path: str, body: Any, text: str, sandbox: Sandbox) -> None:
    """The status is 400, and the body has the reason."""
    ids = {"id": create(sandbox), "replica": create(sandbox, isPrimary=False), "new": create(sandbox, state="creating")}
    response = request(sandbox, method, path.format(**ids), body)
    assert (response.status_code, text in response.text) == (400, True), response.text


def test_update_without_tags_removes_them(sandbox: Sandbox) -> None:
    """The vendor's servers do the same, as its Terraform provider says."""
    id_ = create(sandbox)
    assert request(sandbox, "PATCH", f"/{id_}", {"haType": "sync", "tags": TAGS}).json()["result"]["tags"] == TAGS
    assert request(sandbox, "PATCH", f"/{id_}", {"haType": "none"}).json()["result"]["tags"] == []


def test_list_omits_fields_of_a_read(sandbox: Sandbox) -> None:
    """Neither returns the password."""
    id_ = create(sandbox)
    (listed,) = request(sandbox, "GET", "").json()["result"]
    read = request(sandbox, "GET", f"/{id_}").json()["result"]
    assert {*read} - {*listed} == {"earliestRestoreTime", "hostname", "storageSize", "username"}


def test_only_create_and_reset_return_the_password(sandbox: Sandbox) -> None:
    """A reset to a given password returns nothing."""
    created = request(sandbox, "POST", "", NEW).json()["result"]
    assert sandbox.password_works(created["id"], created["password"])
    reset = request(sandbox, "PATCH", f"/{created['id']}/password", {}).json()["result"]
    assert sandbox.password_works(created["id"], reset["password"])
    assert not sandbox.password_works(created["id"], created["password"])
    assert request(sandbox, "PATCH", f"/{created['id']}/password", {"password": "Mine-0123456"}).json()["result"] == {}


def test_primary_is_deleted_after_its_replicas(sandbox: Sandbox) -> None:
    """Until then the status is 409."""
    id_ = create(sandbox)
    replica = request(sandbox, "POST", f"/{id_}/readReplica", {"name": "reports"}).json()["result"]
    assert (replica["isPrimary"], replica["size"]) == (False, "m6gd.large")
    assert request(sandbox, "DELETE", f"/{id_}").status_code == 409
    assert request(sandbox, "DELETE", f"/{replica['id']}").status_code == 200
    assert request(sandbox, "DELETE", f"/{id_}").status_code == 200


def test_patch_adds_settings_and_post_replaces_them(sandbox: Sandbox) -> None:
    """The message says when a restart is required."""
    id_ = create(sandbox)
    none: dict[str, Any] = {}
    first = {"pgConfig": {"max_connections": 100, "work_mem": "8MB"}, "pgBouncerConfig": none}
    assert "restart" in request(sandbox, "PATCH", f"/{id_}/config", first).json()["result"]["message"]
    second = {"pgConfig": {"max_connections": "100"}, "pgBouncerConfig": none}
    assert request(sandbox, "PATCH", f"/{id_}/config", second).json()["result"]["pgConfig"]["work_mem"] == "8MB"
    assert request(sandbox, "POST", f"/{id_}/config", second).json()["result"] == second
