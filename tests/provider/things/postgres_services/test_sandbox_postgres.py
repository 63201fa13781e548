"""Postgres services in the sandbox: what the vendor's servers refuse, inherit, remove and answer once."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox

NEW = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
TAGS = [{"key": "team", "value": "shop"}]


def made(sandbox: Sandbox, **more: Any) -> str:
    """Make a service that runs."""
    return str(sandbox.add("postgres_services", **{**NEW, "tags": TAGS, **more})["id"])


def asked(sandbox: Sandbox, method: str, path: str, body: Any = None) -> httpx.Response:
    """Send a request below `/postgres`."""
    with sandbox.management() as http:
        return http.request(method, f"/postgres{path}", json=body)


REFUSED: dict[str, tuple[str, str, Any, str]] = {
    "no size": ("POST", "", {name: NEW[name] for name in NEW if name != "size"}, "request body.size: is required"),
    "a cloud that is no text": ("POST", "", {**NEW, "provider": 1}, "request body.provider"),
    "no setting": ("POST", "", {**NEW, "pgConfig": {}}, "request body.pgConfig"),
    "an unknown setting": ("POST", "", {**NEW, "pgConfig": {"x": "1"}}, "there is no setting x"),
    "a configuration in part": ("PATCH", "/{id}/config", {"pgConfig": {"work_mem": "8MB"}}, "pgBouncerConfig"),
    "a weak password": ("PATCH", "/{id}/password", {"password": "lowercase-only"}, "an uppercase letter"),
    "a command that there is not": ("PATCH", "/{id}/state", {"command": "stop"}, "request body.command"),
    "a primary that is promoted": ("PATCH", "/{id}/state", {"command": "promote"}, "Only a read replica"),
    "a replica without a name": ("POST", "/{id}/readReplica", {}, "request body.name: is required"),
    "a replica of a replica": ("POST", "/{replica}/readReplica", {"name": "x"}, "cannot have read replicas"),
    "a replica of another size": ("PATCH", "/{replica}", {"size": "m6gd.xlarge"}, "cannot be modified"),
    "a replica with a password": ("PATCH", "/{replica}/password", {}, "has the password of its primary"),
    "a restore to no time": ("POST", "/{id}/restoredService", {"name": "x"}, "request body.restoreTarget"),
    "a replica of a new service": ("POST", "/{new}/readReplica", {"name": "x"}, "There are no backups, yet"),
}


@pytest.mark.parametrize(("method", "path", "body", "text"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(method: str, path: str, body: Any, text: str, sandbox: Sandbox) -> None:
    """With 400, and why."""
    ids = {"id": made(sandbox), "replica": made(sandbox, isPrimary=False), "new": made(sandbox, state="creating")}
    answer = asked(sandbox, method, path.format(**ids), body)
    assert (answer.status_code, text in answer.text) == (400, True), answer.text


def test_an_update_without_tags_removes_them(sandbox: Sandbox) -> None:
    """As the vendor's servers do, of which their own Terraform provider says so."""
    id_ = made(sandbox)
    assert asked(sandbox, "PATCH", f"/{id_}", {"haType": "sync", "tags": TAGS}).json()["result"]["tags"] == TAGS
    assert asked(sandbox, "PATCH", f"/{id_}", {"haType": "none"}).json()["result"]["tags"] == []


def test_a_list_has_less_than_a_read(sandbox: Sandbox) -> None:
    """Neither has the password."""
    id_ = made(sandbox)
    (listed,) = asked(sandbox, "GET", "").json()["result"]
    read = asked(sandbox, "GET", f"/{id_}").json()["result"]
    assert {*read} - {*listed} == {"hostname", "storageSize", "username"}


def test_only_a_create_tells_the_password(sandbox: Sandbox) -> None:
    """And a reset without one of your own."""
    created = asked(sandbox, "POST", "", NEW).json()["result"]
    assert sandbox.password_works(created["id"], created["password"])
    reset = asked(sandbox, "PATCH", f"/{created['id']}/password", {}).json()["result"]
    assert sandbox.password_works(created["id"], reset["password"])
    assert not sandbox.password_works(created["id"], created["password"])
    assert asked(sandbox, "PATCH", f"/{created['id']}/password", {"password": "Mine-0123456"}).json()["result"] == {}


def test_a_primary_goes_after_its_replicas(sandbox: Sandbox) -> None:
    """Until then it is refused with 409."""
    id_ = made(sandbox)
    replica = asked(sandbox, "POST", f"/{id_}/readReplica", {"name": "reports"}).json()["result"]
    assert (replica["isPrimary"], replica["size"]) == (False, "m6gd.large")
    assert asked(sandbox, "DELETE", f"/{id_}").status_code == 409
    assert asked(sandbox, "DELETE", f"/{replica['id']}").status_code == 200
    assert asked(sandbox, "DELETE", f"/{id_}").status_code == 200


def test_a_change_replaces_or_adds_settings(sandbox: Sandbox) -> None:
    """PATCH adds, POST replaces, and both say when a restart is needed."""
    id_ = made(sandbox)
    none: dict[str, Any] = {}
    first = {"pgConfig": {"max_connections": 100, "work_mem": "8MB"}, "pgBouncerConfig": none}
    assert "restart" in asked(sandbox, "PATCH", f"/{id_}/config", first).json()["result"]["message"]
    second = {"pgConfig": {"max_connections": "100"}, "pgBouncerConfig": none}
    assert asked(sandbox, "PATCH", f"/{id_}/config", second).json()["result"]["pgConfig"]["work_mem"] == "8MB"
    assert asked(sandbox, "POST", f"/{id_}/config", second).json()["result"] == second
