"""Versions of objects, with the setting `versions`: reads return an ETag, and an update may name it as If-Match.

This follows pull request 3165 of the vendor's observability server, which is in no known release: the ETag is a counter
in quotes, another text is refused with 400, and another version with 409.
"""

from __future__ import annotations

import re

from starlette.requests import Request

from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.client.replaced import ReplacedCollection
from pulumi_clouddb.registry import COLLECTIONS
from pulumi_clouddb.schema.check.rules import wire_case

from .responses import bad_request, conflict
from .state import SandboxState

_COLLECTIONS = [each for each in COLLECTIONS if issubclass(each, ReplacedCollection) and each.versioned]
_READS = {form.name: each for each in _COLLECTIONS for form in (each.GET.managed, each.GET.self_hosted)}
_UPDATES = {form.name: each for each in _COLLECTIONS for form in (each.UPDATE.managed, each.UPDATE.self_hosted)}
_COUNTER = re.compile(r'"\d+"')


def etag(state: SandboxState, operation: Operation, request: Request) -> dict[str, str]:
    """Return the header with the version of an object that was read."""
    version = _version(state, operation, request) if operation.name in _READS else None
    return {} if version is None else {"ETag": version}


def check(state: SandboxState, operation: Operation, request: Request) -> None:
    """Refuse the update of another version than that of If-Match.

    Raises:
        HTTPError: The header is no version, or that of another one.
    """
    named = request.headers.get("if-match")
    if named is None or operation.name not in _UPDATES:
        return
    version = _version(state, operation, request)
    if version is not None and not _COUNTER.fullmatch(named):
        raise bad_request("Invalid If-Match header")
    if version not in (None, named):
        raise conflict("Dashboard was modified by another request")


def _version(state: SandboxState, operation: Operation, request: Request) -> str | None:
    """Return the version of the object of a request; None if there is no such object, or without versions."""
    collection = {**_READS, **_UPDATES}[operation.name]
    id_ = request.path_params[wire_case(collection.id_part)].lower()
    if not state.settings.versions or state.store.get(collection.plural(), id_) is None:
        return None
    return f'"{state.store.version(collection.plural(), id_)}"'
