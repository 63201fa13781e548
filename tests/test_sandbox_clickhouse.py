"""What only the clickhouse dialect has: tags of services, and keys whose credentials the client makes itself."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from pulumi_clouddb.sandbox import Sandbox

OWNER = {"key": "owner", "value": "ci"}
STAGE = {"key": "stage", "value": "test"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """One sandbox in the clickhouse dialect for all tests here."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.fixture(scope="module")
def http(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client of the management surface."""
    with sandbox.management() as client:
        yield client


def create(http: httpx.Client, **fields: Any) -> httpx.Response:
    """Try to create a service."""
    return http.post("/services", json={"name": "orders", **fields})


@pytest.mark.parametrize("tags", [[], [{"key": "alone"}], [OWNER, STAGE]], ids=str)
def test_every_record_of_a_service_has_its_tags(http: httpx.Client, tags: list[dict[str, str]]) -> None:
    """The create, a read and the list return the tags that were sent."""
    created = create(http, tags=tags).json()["result"]["service"]
    read = http.get(f"/services/{created['id']}").json()["result"]
    listed = {service["id"]: service for service in http.get("/services").json()["result"]}
    assert [record["tags"] for record in (created, read, listed[created["id"]])] == [tags] * 3


def test_a_service_without_tags_has_an_empty_list(http: httpx.Client) -> None:
    """The field is there all the same."""
    assert create(http).json()["result"]["service"]["tags"] == []


MANY = [{"key": f"key{number}", "value": "x"} for number in range(51)]
REFUSED_TAGS: dict[str, tuple[Any, str]] = {
    "too many": (MANY, "request body.tags: must have at most 50 elements"),
    "no key": ([{"value": "x"}], "request body.tags[0].key: is required"),
    "empty key": ([{"key": ""}], "request body.tags[0].key: must have at least 1 character"),
    "key too long": ([{"key": "x" * 129}], "request body.tags[0].key: must have at most 128 characters"),
    "key with a blank": ([{"key": "a b"}], "request body.tags[0].key: must match"),
    "value too long": ([{"key": "x", "value": "x" * 257}], "request body.tags[0].value: must have at most 256"),
    "value with a slash": ([{"key": "x", "value": "a/b"}], "request body.tags[0].value: must match"),
    "another field": ([{"key": "x", "colour": "red"}], "request body.tags[0].colour: is not a property here"),
}


@pytest.mark.parametrize("case", REFUSED_TAGS)
def test_tags_have_limits(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """The create is refused with 400 and the field, and creates nothing."""
    tags, words = REFUSED_TAGS[case]
    before = len(sandbox.services)
    answer = create(http, tags=tags)
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert len(sandbox.services) == before


TAG_CHANGES: dict[str, tuple[dict[str, Any], list[dict[str, str]]]] = {
    "nothing": ({}, [OWNER, STAGE]),
    "add": ({"add": [{"key": "new"}]}, [OWNER, STAGE, {"key": "new"}]),
    "add a known key": ({"add": [{"key": "owner", "value": "me"}]}, [STAGE, {"key": "owner", "value": "me"}]),
    "remove": ({"remove": [OWNER]}, [STAGE]),
    "remove by key alone": ({"remove": [{"key": "stage"}]}, [OWNER]),
    "remove what is not there": ({"remove": [{"key": "other"}]}, [OWNER, STAGE]),
    "removals come first": ({"remove": [OWNER], "add": [OWNER]}, [STAGE, OWNER]),
}


@pytest.mark.parametrize("case", TAG_CHANGES)
def test_an_update_adds_and_removes_tags(http: httpx.Client, case: str) -> None:
    """Removals come before additions; other tags stay."""
    change, expected = TAG_CHANGES[case]
    id_ = create(http, tags=[OWNER, STAGE]).json()["result"]["service"]["id"]
    assert http.patch(f"/services/{id_}", json={"tags": change}).json()["result"]["tags"] == expected
    assert http.get(f"/services/{id_}").json()["result"]["tags"] == expected


def test_an_update_cannot_exceed_the_limit_of_tags(http: httpx.Client) -> None:
    """A service keeps 50 tags; the refused update changes nothing."""
    id_ = create(http, tags=MANY[:50]).json()["result"]["service"]["id"]
    for change in ({"add": MANY[50:]}, {"add": MANY}, {"set": MANY[50:]}):
        assert http.patch(f"/services/{id_}", json={"tags": change}).status_code == 400
    assert http.get(f"/services/{id_}").json()["result"]["tags"] == MANY[:50]


def digest(text: str) -> str:
    """Return base64 of the SHA-256, as the description of `ApiKeyHashData` has it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def hashes_of(key_id: str, secret: str) -> dict[str, str]:
    """Return what a client sends of the credentials it made."""
    return {"keyIdHash": digest(key_id), "keyIdSuffix": key_id[-4:], "keySecretHash": digest(secret)}


def test_a_key_of_hashes_works_with_what_was_hashed(sandbox: Sandbox, http: httpx.Client) -> None:
    """The answer has the record alone; neither the id nor the secret ever came over the wire."""
    key_id, secret = secrets.token_hex(10), secrets.token_hex(21)
    body = {"name": "ci", "roles": ["admin"], "hashData": hashes_of(key_id, secret)}
    result = http.post("/keys", json=body).json()["result"]
    assert set(result) == {"key"}
    assert "hashData" not in result["key"]
    assert result["key"]["keySuffix"] == key_id[-4:]
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 200
    with sandbox.management(key_id, "guess") as stranger:
        assert stranger.get("/services").status_code == 401
    # The hash itself opens nothing.
    with sandbox.management(digest(key_id), digest(secret)) as thief:
        assert thief.get("/services").status_code == 401
    http.delete(f"/keys/{result['key']['id']}")
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 401


def test_a_key_id_can_be_used_once(sandbox: Sandbox, http: httpx.Client) -> None:
    """A second key of the same id is refused, and the first goes on working; ids of the server's making count, too."""
    key_id, secret = secrets.token_hex(10), secrets.token_hex(21)
    body = {"name": "ci", "roles": ["admin"]}
    assert http.post("/keys", json={**body, "hashData": hashes_of(key_id, secret)}).status_code == 200
    again = http.post("/keys", json={**body, "hashData": hashes_of(key_id, "other")})
    assert again.status_code == 400
    assert "a key with this id exists already" in again.json()["error"]
    with sandbox.management(key_id, secret) as own:
        assert own.get("/services").status_code == 200
    assert http.post("/keys", json={**body, "hashData": hashes_of(sandbox.key_id, "other")}).status_code == 400


REFUSED_HASHES: dict[str, dict[str, Any]] = {
    "hex": {"keySecretHash": hashlib.sha256(b"x").hexdigest()},
    "too short": {"keyIdHash": "QUJD"},
    "suffix too long": {"keyIdSuffix": "12345"},
    "null": {"keySecretHash": None},
    "another field": {"keyId": "x"},
}


@pytest.mark.parametrize("case", REFUSED_HASHES)
def test_hashes_that_could_never_work_are_refused(sandbox: Sandbox, http: httpx.Client, case: str) -> None:
    """All three are needed, in the form of the description."""
    before = len(sandbox.keys)
    hashes = {**hashes_of("some key id", "secret"), **REFUSED_HASHES[case]}
    assert http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": hashes}).status_code == 400
    for missing in ("keyIdHash", "keyIdSuffix", "keySecretHash"):
        rest = {name: value for name, value in hashes_of("some key id", "secret").items() if name != missing}
        assert http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": rest}).status_code == 400
    assert len(sandbox.keys) == before


def test_a_key_without_hashes_is_made_by_the_server(sandbox: Sandbox, http: httpx.Client) -> None:
    """The answer has the id and the secret then, as in the other dialect."""
    result = http.post("/keys", json={"name": "ci", "roles": ["admin"]}).json()["result"]
    with sandbox.management(result["keyId"], result["keySecret"]) as own:
        assert own.get("/services").status_code == 200


def test_an_update_takes_no_hashes(http: httpx.Client) -> None:
    """A key keeps its credentials for life."""
    id_ = http.post("/keys", json={"name": "ci", "roles": ["admin"]}).json()["result"]["key"]["id"]
    assert http.patch(f"/keys/{id_}", json={"hashData": hashes_of("id", "secret")}).status_code == 400


def test_the_neutral_dialect_has_neither() -> None:
    """Tags and hashes are refused there, and nothing is created."""
    with Sandbox() as sandbox, sandbox.management() as http:
        refused = [
            create(http, tags=[OWNER]),
            http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": hashes_of("some id", "secret")}),
            http.patch(f"/services/{sandbox.add('services')['id']}", json={"tags": {"add": [OWNER]}}),
        ]
        assert [answer.status_code for answer in refused] == [400] * 3
        assert ["is not a property here" in answer.json()["error"] for answer in refused] == [True] * 3
        assert sandbox.state()["counts"]["keys"] == 1


def test_the_log_keeps_no_hash_of_a_secret(sandbox: Sandbox, http: httpx.Client) -> None:
    """The hash of the id stays readable, so that a test can find the request of one key."""
    sandbox.forget_requests()
    hashes = hashes_of(secrets.token_hex(10), "hush hush")
    http.post("/keys", json={"name": "ci", "roles": ["admin"], "hashData": hashes})
    (entry,) = sandbox.requests
    assert entry.body["hashData"] == {**hashes, "keySecretHash": "[secret]"}
