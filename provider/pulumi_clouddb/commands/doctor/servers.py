"""The servers that the settings name, and the few requests that each of them is judged by. All of them only read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.about import HEALTH, ORGANIZATIONS, WHO_AM_I
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ApiError,
    ClientError,
    ListNotFoundError,
    NotFoundError,
    RateLimitError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.exchange import Exchange, Exchanges
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.keys.api import Keys
from pulumi_clouddb.pipes.api import Pipes
from pulumi_clouddb.schema.config import MANAGEMENT_PREFIX, SELF_HOSTED_PREFIX, ProviderConfig
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.services.api import Services
from pulumi_clouddb.sources.api import Sources

NOBODY = "00000000-0000-4000-8000-000000000000"
"""An id that no object has."""

NO_CREDENTIAL = "none"
"""Sent where no credential may go: a server may be another than its setting says."""

_ORGANIZATION = re.compile(r"organi[sz]ation", re.IGNORECASE)


class Server:
    """One server, with what it answers.

    Attributes:
        setting: The setting that names its address.
        credentials: The settings that it is given credentials by.
        prefix: What each request adds to its address.
        lists: What the decisive request lists, in words.
    """

    setting = ""
    credentials: tuple[str, ...] = ()
    prefix = ""
    lists = ""

    def __init__(self, config: ProviderConfig) -> None:
        self.config = config
        self.exchanges = Exchanges(config)

    @property
    def address(self) -> str:
        """Its address, or nothing where none is known."""
        raise NotImplementedError

    @property
    def decisive(self) -> Exchange:
        """The exchange that tells whether its API can be used."""
        raise NotImplementedError

    @property
    def is_vendors(self) -> bool | None:
        """Whether it speaks the words of the vendor's servers, or None where it does not show."""
        raise NotImplementedError

    @cached_property
    def responded(self) -> bool:
        """Whether it has answered as an API does, if only to refuse.

        A server error or JSON of an unknown form is not such an answer, whatever its media type.
        """
        exchange = self.decisive
        if exchange.status is None or isinstance(exchange.error, (AmbiguousError, UnsupportedOperationError)):
            return False
        # JSON, or the plain text of some refusals.
        return exchange.error is None or exchange.media == "application/json" or exchange.status in (401, 429)

    @property
    def accepts(self) -> bool:
        """Whether it has carried out the decisive request, which proves its address and its credentials."""
        return self.responded and self.decisive.error is None

    @cached_property
    def blames_organization(self) -> bool:
        """Whether it refuses because the key is of another organization."""
        return False

    @cached_property
    def refuses_everybody(self) -> bool:
        """Whether it answers the same refusal to a credential that nobody has: then it is not about the credential."""
        exchange = self.decisive
        nobody = dict.fromkeys(map(to_snake, self.credentials), NO_CREDENTIAL)
        return self.status_with(exchange.operation, **nobody) == exchange.status

    def status_with(self, operation: Operation, **settings: str) -> int | None:
        """Return the status that a server answers with these settings in place of ours."""
        exchanges = Exchanges(self.config.model_copy(update=settings))
        exchange = exchanges.ask(operation)
        exchanges.close()
        return exchange.status

    def is_refused(self, operation: Operation, **settings: str) -> bool:
        """Return whether a server with these settings in place of ours asks for other credentials."""
        return self.status_with(operation, **settings) == 401

    def close(self) -> None:
        """Close all connections."""
        self.exchanges.close()


class Management(Server):
    """The management API."""

    setting = "baseUrl"
    credentials = ("keyId", "keySecret")
    prefix = MANAGEMENT_PREFIX
    lists = "the services"

    @property
    def address(self) -> str:
        """Its address, or that of the dialect, or nothing."""
        return self.config.base_url or DIALECTS[self.config.vocabulary].base_url or ""

    @property
    def services(self) -> Exchange:
        """The list of the services."""
        return self.exchanges.ask(Services.LIST.managed)

    @property
    def keys(self) -> Exchange:
        """The list of the keys."""
        return self.exchanges.ask(Keys.LIST.managed)

    @property
    def organizations(self) -> Exchange:
        """The organization of the key."""
        return self.exchanges.ask(ORGANIZATIONS)

    @cached_property
    def decisive(self) -> Exchange:
        """The list of the services; on a server without one, a pipe that does not exist."""
        found = self.services
        if isinstance(found.error, UnsupportedOperationError):
            pipe = self.exchanges.ask(Pipes.GET.managed, service_id=NOBODY, pipe_id=NOBODY)
            if isinstance(pipe.error, (NotFoundError, UnauthorizedError, RateLimitError)):
                return pipe
        return found

    @property
    def accepts(self) -> bool:
        """Whether it has carried out the decisive request; a pipe that does not exist is answered with 404."""
        return self.responded and (self.decisive.error is None or type(self.decisive.error) is NotFoundError)

    @cached_property
    def blames_organization(self) -> bool:
        """Whether it refuses because the key is of another organization.

        A list that is not found is of another one, too, unless even a key that does not exist is answered so.
        """
        refused = self.decisive.error
        if isinstance(refused, ListNotFoundError):
            return not self.refuses_everybody
        by_words = isinstance(refused, ClientError) or (isinstance(refused, ApiError) and refused.status == 403)
        return by_words and bool(_ORGANIZATION.search(str(getattr(refused, "message", ""))))

    @property
    def is_vendors(self) -> bool | None:
        """Whether its services have the vendor's words, or it knows organizations, which the interface does not.

        A server that knows none may be the vendor's all the same, behind a gateway that passes little on.
        """
        listed = self.services.document
        records = listed.get("result") if isinstance(listed, dict) else None
        names = {name for each in (records if isinstance(records, list) else ()) for name in _names(each)}
        for ours, theirs in DIALECTS[CLICKHOUSE].fields["Service"].items():
            if (ours in names) is not (theirs in names):
                return theirs in names
        return True if self.organizations.result is not None else None

    @cached_property
    def is_self_hosted(self) -> bool:
        """Whether this is a self-hosted observability server instead; it is sent no credentials."""
        return self.is_refused(Sources.LIST.self_hosted, stack_url=self.address, stack_token=NO_CREDENTIAL)


def _names(record: object) -> Iterable[str]:
    return record if isinstance(record, dict) else ()


class SelfHosted(Server):
    """A self-hosted observability server."""

    setting = "stackUrl"
    credentials = ("stackToken",)
    prefix = SELF_HOSTED_PREFIX
    lists = "the data sources"

    @property
    def address(self) -> str:
        """Its address."""
        return self.config.stack_url or ""

    @property
    def decisive(self) -> Exchange:
        """The list of the data sources."""
        return self.exchanges.ask(Sources.LIST.self_hosted)

    @property
    def is_vendors(self) -> bool | None:
        """Whether it tells who asks, which the interface does not have; a server that does not tell proves nothing."""
        who = self.exchanges.ask(WHO_AM_I).document
        return True if isinstance(who, dict) and "version" in who else None

    @property
    def version(self) -> str | None:
        """Its version, where it tells one."""
        told = self.exchanges.ask(HEALTH).document
        return str(told["version"]) if isinstance(told, dict) and told.get("version") else None

    @cached_property
    def api_address(self) -> str | None:
        """The address below which the API is, if this is the one of the user interface: it passes `/api` on."""
        address = f"{self.address}/api"
        refused = self.is_refused(Sources.LIST.self_hosted, stack_url=address, stack_token=NO_CREDENTIAL)
        return address if refused else None

    @cached_property
    def is_management(self) -> bool:
        """Whether this is a management API instead; it is sent no credentials."""
        nobody = {"key_id": NO_CREDENTIAL, "key_secret": NO_CREDENTIAL, "organization_id": NOBODY}
        return self.is_refused(Services.LIST.managed, base_url=self.address, **nobody)
