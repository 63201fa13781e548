"""Lists that omit fields: an object is read with all its fields, or the read is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import NotFoundError
from pulumi_clouddb.things.roles.api import Roles
from pulumi_clouddb.things.webhooks.api import Webhooks
from support.scripted import LOST, Response, Scripted, error, ok, page
from support.sessions import config_of

LISTED = {"id": "r", "name": "Reader", "createdAt": "2026-01-01T00:00:00Z"}
WHOLE = {**LISTED, "policies": []}
Read = Callable[[Roles], Any]


class PartialRoles(Roles):
    """Roles of a server whose list does not contain their policies."""

    not_listed = ("policies",)


def api_of(server: Scripted) -> Api:
    """Return the collections of a server, without retries."""
    return Api(
        Client(config_of(baseUrl=server.url, stackUrl=server.url, vocabulary="clickhouse", retryTimeoutSeconds=0))
    )


READS: dict[str, tuple[Read, list[Response], object, int]] = {
    "listed, and read by its id": (lambda all_: all_.find("r"), [ok([LISTED]), ok(WHOLE)], WHOLE, 2),
    "not listed, and not found": (lambda all_: all_.find("r"), [ok([]), error(404)], None, 2),
    "deleted since the list": (lambda all_: all_.find("r"), [ok([LISTED]), error(404), ok([])], None, 3),
    "listed again after a 404": (
        lambda all_: all_.find("r"),
        [ok([LISTED]), error(404), ok([LISTED])],
        NotFoundError,
        3,
    ),
    "a server without the single read": (lambda all_: all_.find("r"), [ok([LISTED]), page(404)], LISTED, 2),
    "for a replacement": (lambda all_: all_.current("r", {}), [ok([LISTED]), ok(WHOLE)], WHOLE, 2),
    "for a replacement, without the list": (lambda all_: all_.current("r", {}), [error(400), ok(WHOLE)], WHOLE, 2),
}


@pytest.mark.parametrize("case", READS)
def test_object_is_read_whole(case: str) -> None:
    """It is read by its id, because the list omits fields; without that operation, the listed fields are used."""
    read, answers, expected, count = READS[case]
    with Scripted(*answers) as server:
        objects = api_of(server).of(PartialRoles)
        if expected is NotFoundError:
            with pytest.raises(NotFoundError):
                read(objects)
        else:
            found = read(objects)
            assert (found.answer if found else None) == expected
        assert server.count == count


def test_listed_objects_are_completed() -> None:
    """A create with a lost response compares them; an object that was deleted meanwhile is omitted."""
    with Scripted(ok([LISTED, {**LISTED, "id": "s"}]), ok(WHOLE), error(404)) as server:
        roles = api_of(server).of(PartialRoles)
        assert {
            own_id: each.answer for own_id, each in roles.with_all_fields((roles.records() or {}).values()).items()
        } == {"r": WHOLE}


@pytest.mark.parametrize("answers", [[LOST], [error(500)]], ids=["lost", "500"])
def test_object_that_cannot_be_read_is_an_error(answers: list[Response]) -> None:
    """Otherwise the omitted fields would be drift."""
    with Scripted(ok([LISTED]), *answers) as server, pytest.raises(Exception, match="could not read the role"):
        api_of(server).of(PartialRoles).find("r")


def test_list_that_omits_only_outputs_is_enough() -> None:
    """Outputs do not drift, so a refresh of many objects needs one list."""

    class Undated(Roles):
        not_listed = ("createdAt",)

    with Scripted(ok([LISTED])) as server:
        found = api_of(server).of(Undated).find("r")
        assert (found and found.answer, server.count) == (LISTED, 1)


def test_new_list_replaces_a_single_read() -> None:
    """An old list does not prove that an object was deleted."""
    hook = {"id": "w", "name": "On call", "service": "generic"}
    with Scripted(ok([]), ok([hook]), ok([hook]), ok([])) as server:
        webhooks = api_of(server).of(Webhooks, "s")
        assert webhooks.records() == {}
        assert webhooks.find("w").id == "w"  # type: ignore[union-attr]
        webhooks.invalidate()
        assert webhooks.get("w").id == "w"
        with pytest.raises(NotFoundError, match="the list does not contain w"):
            webhooks.get("w")
