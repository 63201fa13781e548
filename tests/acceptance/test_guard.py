"""The guard of the acceptance run: which requests pass, and what the ledger keeps of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acceptance.guard import Allowances, Creation, Ledger, Request, Run, creation_of, refusal
from real_server.request import ABSENT

ORG = "/v1/organizations/o"
OURS, THEIRS = f"{ORG}/services/ours", f"{ORG}/services/theirs"
BOARD = "/api/v2/dashboards/ours"
RUN = Run("acc0123456789ab")
NAMED = {"name": RUN.name("Orders")}


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger of a run that made a service, a function and a dashboard."""
    ledger = Ledger(RUN, tmp_path / f"{RUN.token}.jsonl")
    made(ledger, f"{ORG}/services", {"service": {"id": "ours"}})
    made(ledger, f"{ORG}/udfs", {"functionName": "ours"})
    made(ledger, "/api/v2/dashboards", {"id": "ours"})
    return ledger


def made(ledger: Ledger, collection: str, result: dict[str, Any]) -> None:
    """Record a create and its response."""
    ledger.answered(ledger.intends(create(collection)), 200, {"result": result})


def create(collection: str, **more: Any) -> Creation:
    """Return a create in a collection."""
    creation = creation_of(Request("POST", collection, body={**NAMED, **more}))
    assert creation is not None
    return creation


PASS = {
    "a read of anything": Request("GET", f"{THEIRS}/clickpipes"),
    "a change of an own object": Request("PATCH", OURS, body={"name": "x"}),
    "a deletion of an own object": Request("DELETE", BOARD),
    "an object of an own one, under any name": Request("POST", f"{OURS}/clickpipes", body={"name": "x"}),
    "a setting of an own service": Request("PUT", f"{OURS}/upgradeWindow", body={"weekday": 1}),
    "a new object with the run's name": Request("POST", f"{ORG}/roles", body=NAMED),
    "a new object with the run's name in another field": Request(
        "POST", f"{ORG}/udfs", body={"functionName": f"twice_{RUN.token}"}
    ),
    "a new object with the run's tag": Request("POST", f"{ORG}/postgres", body={"name": "x", "tags": [RUN.tag]}),
    "an alert without a name on an own dashboard": Request("POST", "/api/v2/alerts", body={"dashboardId": "ours"}),
    "a validation, which changes nothing": Request("POST", "/api/v2/dashboards/validate", body={"name": "x"}),
    "a validation of an account, which changes nothing": Request("POST", f"{ORG}/byocInfrastructure/validate", body={}),
    "an own function attached to an own service": Request("PUT", f"{ORG}/udfs/ours/attachments/ours", body={}),
}
REFUSED = {
    "a change of another's object": Request("PATCH", THEIRS, body=NAMED),
    "a deletion of another's object": Request("DELETE", f"{ORG}/roles/theirs"),
    "a command to another's service": Request("PATCH", f"{THEIRS}/state", body={"command": "stop"}),
    "an object of another's service, even with the run's name": Request("PUT", f"{THEIRS}/upgradeWindow", body=NAMED),
    "a pipe of another's service, even with the run's name": Request("POST", f"{THEIRS}/clickpipes", body=NAMED),
    "a dashboard of another's service, even with the run's name": Request(
        "POST", f"{THEIRS}/clickstack/dashboards", body=NAMED
    ),
    "a replica of another's database, even with the run's name": Request(
        "POST", f"{ORG}/postgres/theirs/readReplica", body=NAMED
    ),
    "a version of another's function, even with the run's name": Request(
        "POST", f"{ORG}/udfs/theirs/versions", body=NAMED
    ),
    "a service in another's warehouse": Request("POST", f"{ORG}/services", body={**NAMED, "dataWarehouseId": "theirs"}),
    "a service from another's backup": Request("POST", f"{ORG}/services", body={**NAMED, "backupId": "theirs"}),
    "an endpoint that nobody gave": Request("POST", f"{OURS}/privateEndpoint", body={"id": "vpce-1a2b3c4d"}),
    "a new object without the run's name": Request("POST", f"{ORG}/roles", body={"name": "Reader"}),
    "a new object without a body": Request("POST", f"{ORG}/keys"),
    "the organization": Request("PATCH", ORG, body=NAMED),
    "a member": Request("PATCH", f"{ORG}/members/theirs", body=NAMED),
    "a member of a team": Request("DELETE", "/api/v2/team/member/theirs"),
    "an alert on another's dashboard": Request("POST", "/api/v2/alerts", body={"dashboardId": "theirs"}),
    "an own function attached to another's service": Request("PUT", f"{ORG}/udfs/ours/attachments/theirs", body={}),
    "a role for somebody": Request("POST", f"{ORG}/roles", body={**NAMED, "actors": ["user/1"]}),
    "a service whose id begins like an own one": Request("DELETE", f"{OURS}2"),
    "a path that leaves an own object": Request("DELETE", f"{OURS}/../theirs"),
    "a path that leaves an own object, escaped": Request("DELETE", f"{OURS}/%2e%2e/theirs"),
    "a method that nobody knows": Request("MOVE", THEIRS),
    "an operation that nobody knows": Request("POST", f"{ORG}/everything", body=NAMED),
}


@pytest.mark.parametrize("request_", PASS.values(), ids=PASS)
def test_request_passes(ledger: Ledger, request_: Request) -> None:
    """Reads, writes to what the run made, and creates under its name reach the server."""
    assert refusal(request_, ledger) is None


@pytest.mark.parametrize("request_", REFUSED.values(), ids=REFUSED)
def test_request_is_refused(ledger: Ledger, request_: Request) -> None:
    """No other write reaches the server, and the reason names the request."""
    assert request_.path in str(refusal(request_, ledger))


def test_allowed_request_passes() -> None:
    """The file of needs allows single writes to objects of others."""
    ledger = Ledger(RUN, allowances=Allowances(settings=True, members=["ada"], endpoints=["vpce-1a2b3c4d"]))
    endpoints = {"remove": [{"id": "vpce-1a2b3c4d"}]}
    for path, body in (
        (ORG, {"name": "x"}),
        (ORG, {"privateEndpoints": endpoints}),
        (f"{ORG}/members/ada", {"assignedRoleIds": []}),
    ):
        assert refusal(Request("PATCH", path, body=body), ledger) is None
        assert refusal(Request("PATCH", path, body=body), Ledger(RUN))
    assert refusal(Request("DELETE", f"{ORG}/members/ada"), ledger)
    assert refusal(Request("PATCH", ORG, body={"privateEndpoints": {"remove": [{"id": "vpce-2a2b3c4d"}]}}), ledger)
    assert refusal(Request("PATCH", ORG, body={"name": "x", "privateEndpoints": endpoints}), ledger)


THEIR_ID = "65f5e4a3b9e77c001a560000"
UNNAMED = {
    "a new object without a name": (Request("POST", "/api/v2/dashboards", body={}), True),
    "a change of an own object": (Request("PUT", BOARD, body={}), True),
    "a change of an object that no server has": (Request("PUT", f"/api/v2/alerts/{ABSENT.upper()}"), True),
    "a malformed id": (Request("DELETE", "/api/v2/alerts/nonsense"), True),
    "a deletion of another's object": (Request("DELETE", f"/api/v2/dashboards/{THEIR_ID}"), False),
    "a change of another's object": (Request("PUT", f"/api/v2/alerts/{THEIR_ID.upper()}", body={}), False),
    "a member": (Request("DELETE", f"/api/v2/team/member/{THEIR_ID}"), False),
    "the organization": (Request("PATCH", ORG, body={}), False),
}


@pytest.mark.parametrize(("request_", "passes"), UNNAMED.values(), ids=UNNAMED)
def test_raw_request_passes_only_to_own_objects(ledger: Ledger, request_: Request, passes: bool) -> None:
    """The server had no objects when the run began, but somebody may have created one since."""
    ledger.allowances = Allowances(everything=True)
    assert (refusal(request_, ledger) is None) == passes


def test_ledger_survives_its_process(ledger: Ledger) -> None:
    """Another process finds what exists, and which creates had no response; a half written line is ignored."""
    ledger.intends(create(f"{ORG}/keys"), 7.0)
    refused = ledger.intends(create(f"{ORG}/roles"))
    ledger.answered(refused, 400, {"error": "no"})
    ledger.gone(BOARD)
    assert ledger.file is not None
    with ledger.file.open("a", encoding="utf-8") as stream:
        stream.write('{"made": 9')
    again = Ledger.read(ledger.file)
    assert again.run == RUN
    assert list(again.made) == [OURS, f"{ORG}/udfs/ours"]
    assert [(each.request.path, each.proof.sent_at) for each in again.pending.values()] == [(f"{ORG}/keys", 7.0)]


def test_ledger_has_no_secret_and_is_for_its_owner(tmp_path: Path) -> None:
    """Only the owner can read the file, and it has no secret of a body."""
    ledger = Ledger(RUN, tmp_path / f"{RUN.token}.jsonl")
    ledger.intends(create(f"{ORG}/postgres", password="of-the-broker"))
    ledger.intends(create("/api/v2/connections", password="of-the-broker", host="http://localhost"))
    ledger.intends(create("/api/v2/webhooks", url="https://example.com/of-the-broker", headers={"a": "of-the-broker"}))
    assert ledger.file is not None
    assert ledger.file.stat().st_mode & 0o077 == 0
    assert "of-the-broker" not in ledger.file.read_text()


def test_deleted_object_takes_along_what_belongs_to_it(ledger: Ledger) -> None:
    """What was made within an object is gone with it, and still belongs to the run."""
    made(ledger, f"{OURS}/clickpipes", {"id": "pipe"})
    ledger.gone(OURS)
    assert not [each for each in ledger.made if "/services/" in each]
    assert refusal(Request("DELETE", f"{OURS}/clickpipes/pipe"), ledger) is None


@pytest.mark.parametrize("status", [None, 500, 503])
def test_create_without_a_clear_response_stays_pending(ledger: Ledger, status: int | None) -> None:
    """A create whose response was lost, or is an error of the server, may have made an object."""
    ledger.answered(ledger.intends(create(f"{ORG}/roles")), status, None)
    assert len(ledger.pending) == 1
