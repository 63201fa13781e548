"""The organization of the key: what a configuration without `organizationId` uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pulumi_clouddb.schema.base import Record, Text, Uuid, prop
from pulumi_clouddb.schema.convert import parse

from .errors import AmbiguousError, ClientError, ConfigError, NotFoundError, UnsupportedOperationError
from .list_cache import ListCache
from .needed import not_set
from .operation import CALLER
from .runtime import Runtime


class CallerOrganization(Record):
    """An organization of a user (OpenAPI: `WhoamiUser`)."""

    organization_id: Uuid = prop("Id of the organization.", required=True)
    organization_name: Text | None = prop("Name of the organization.")


class Caller(Record):
    """The owner of the credentials: a key of one organization, or a user of several (OpenAPI: `whoamiGet`)."""

    actor_type: Text | None = prop("`apiKey` or `user`.")
    name: Text | None = prop("Name of the key, or of the user.")
    organization_id: Uuid | None = prop("Organization of the key.")
    organizations: list[CallerOrganization] | None = prop("Organizations of the user.")

    @property
    def all_organizations(self) -> dict[str, str]:
        """The names of the organizations by id; that of a key's is not returned."""
        if self.organization_id is not None:
            return {self.organization_id: ""}
        return {each.organization_id: each.organization_name or "" for each in self.organizations or []}


def with_names(organizations: Mapping[str, str]) -> str:
    """Return organizations, by id, in a message: with their names, as far as these are known."""
    return ", ".join(f"{name} ({id_})" if name else id_ for id_, name in organizations.items())


class KeyOrganization:
    """Finds the organization of the key; one request per process.

    Args:
        runtime: Its clocks and waits.
        request: Sends the request.
        provider: Name of the explicit provider that has the configuration; empty if it is that of the stack.
    """

    def __init__(self, runtime: Runtime, request: Callable[[], Any], provider: str) -> None:
        self._request, self._provider = request, provider
        self._cache = ListCache(runtime)

    @property
    def id(self) -> str:
        """Its id.

        Raises:
            ConfigError: The server cannot find it, or there are several.
            ApiError: The server was not reached, or rejects the key.
        """
        result = self._cache.list((CALLER, None), self._found, max_age=math.inf)
        found = parse(Caller, result).all_organizations
        if len(found) == 1:
            return next(iter(found))
        if not result:
            problem = "the server does not return the organization of the key"
        elif not found:
            problem = "the key belongs to no organization"
        else:
            problem = f"the key belongs to several organizations: {with_names(found)}"
        missing, fix = not_set(["organizationId"], self._provider)
        raise ConfigError(f"{missing}, and {problem}\n{fix}")

    def _found(self) -> dict[str, Any]:
        """Return the response; an empty one if the server does not offer the operation.

        A lost response becomes an error that leaves no doubt: what needs the organization has not been sent.
        """
        try:
            result: dict[str, Any] = self._request()
        except (NotFoundError, UnsupportedOperationError):
            return {}
        except AmbiguousError as error:
            details = {"status": error.status, "request_id": error.request_id}
            raise ClientError(error.operation, error.url, error.message, **details) from None  # type: ignore[arg-type]
        return result
