"""The configured servers, and the few read-only requests that check them."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.caller import Caller
from pulumi_clouddb.client.diagnosis import Exchange, Exchanges
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
from pulumi_clouddb.client.needed import finds_organization
from pulumi_clouddb.client.operation import CALLER, HEALTH, WHO_AM_I, Operation
from pulumi_clouddb.schema.config import MANAGEMENT_PREFIX, SELF_HOSTED_PREFIX, ProviderConfig
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE
from pulumi_clouddb.things.api_keys.api import Keys
from pulumi_clouddb.things.organizations.api import Organizations
from pulumi_clouddb.things.pipes.api import Pipes
from pulumi_clouddb.things.postgres_services.api import PostgresServices
from pulumi_clouddb.things.services.api import Services
from pulumi_clouddb.things.sources.api import Sources

NOBODY = "00000000-0000-4000-8000-000000000000"
"""An id that no object has."""

NO_CREDENTIAL = "none"
"""Sent in place of a credential to an address that may belong to another server."""

_ORGANIZATION = re.compile(r"organi[sz]ation", re.IGNORECASE)


class Server:
    """One server, with its responses.

    Attributes:
        setting: The setting with its address.
        credentials: The settings with its credentials.
        prefix: The path of its API below its address.
        lists: The objects that the decisive request lists, for messages.
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
        """Its address, or an empty text if none is known."""
        raise NotImplementedError

    @property
    def decisive(self) -> Exchange:
        """The exchange that shows whether its API is usable."""
        raise NotImplementedError

    @property
    def is_vendors(self) -> bool | None:
        """Whether its dialect is the vendor's, or None if its responses do not show it."""
        raise NotImplementedError

    @cached_property
    def responded(self) -> bool:
        """Whether its response, possibly an error, is one of an API.

        A server error or JSON of an unknown form is not, whatever its media type.
        """
        exchange = self.decisive
        if exchange.status is None or isinstance(exchange.error, (AmbiguousError, UnsupportedOperationError)):
            return False
        # JSON, or plain text: some servers return these errors so.
        return exchange.error is None or exchange.media == "application/json" or exchange.status in (401, 429)

    @property
    def accepts(self) -> bool:
        """Whether the decisive request succeeded, which proves the address and the credentials."""
        return self.responded and self.decisive.error is None

    @cached_property
    def blames_organization(self) -> bool:
        """Whether it rejects the key because of the organization."""
        return False

    @cached_property
    def refuses_everybody(self) -> bool:
        """Whether it rejects a credential that does not exist with the same status: the credential is not the cause."""
        exchange = self.decisive
        credentials = dict.fromkeys(map(to_snake, self.credentials), NO_CREDENTIAL)
        return self.status_with(exchange.operation, **credentials) == exchange.status

    def status_with(self, operation: Operation, **settings: str) -> int | None:
        """Return the status of a request with these settings in place of the configured ones."""
        exchanges = Exchanges(self.config.model_copy(update=settings))
        exchange = exchanges.ask(operation)
        exchanges.close()
        return exchange.status

    def is_refused(self, operation: Operation, **settings: str) -> bool:
        """Return whether a request with these settings in place of the configured ones is unauthorized."""
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
        """Its address, by default that of the dialect."""
        return self.config.base_url or DIALECTS[self.config.vocabulary].base_url or ""

    def __init__(self, config: ProviderConfig) -> None:
        super().__init__(config)
        if config.organization_id is None:  # whichever it is, the other requests show whether this is the API
            self.config = config.model_copy(update={"organization_id": self.found_organization or NOBODY})
            self.close()
            self.exchanges = Exchanges(self.config)

    @cached_property
    def caller(self) -> Exchange | None:
        """The owner of the key; None if servers of this dialect do not return it."""
        return self.exchanges.ask(CALLER) if finds_organization(self.config) else None

    @cached_property
    def owner(self) -> Caller:
        """The owner of the key; without name and organization if the server does not return it."""
        return parse(Caller, (self.caller.result if self.caller else None) or {})

    @property
    def found_organization(self) -> str | None:
        """The id of the organization of the key; None if the server returns none or several."""
        ids = [*self.owner.all_organizations]
        return ids[0] if len(ids) == 1 else None

    @property
    def services(self) -> Exchange:
        """The list of the services."""
        return self.exchanges.ask(Services.LIST.managed)

    @property
    def keys(self) -> Exchange:
        """The list of the keys."""
        return self.exchanges.ask(Keys.LIST.managed)

    @property
    def postgres_services(self) -> Exchange:
        """The list of the Postgres services."""
        return self.exchanges.ask(PostgresServices.LIST.managed)

    @property
    def organizations(self) -> Exchange:
        """The organization of the key."""
        return self.exchanges.ask(Organizations.LIST.managed)

    @cached_property
    def decisive(self) -> Exchange:
        """The list of the services; on a server without it, the request for a pipe that does not exist."""
        services = self.services
        if isinstance(services.error, UnsupportedOperationError):
            pipe = self.exchanges.ask(Pipes.GET.managed, service_id=NOBODY, pipe_id=NOBODY)
            if isinstance(pipe.error, (NotFoundError, UnauthorizedError, RateLimitError)):
                return pipe
        return services

    @property
    def accepts(self) -> bool:
        """Whether the decisive request succeeded; 404 is the expected status for the pipe that does not exist."""
        return self.responded and (self.decisive.error is None or type(self.decisive.error) is NotFoundError)

    @cached_property
    def blames_organization(self) -> bool:
        """Whether it rejects the key because of the organization.

        404 for the list means the same, unless a key that does not exist gets it, too.
        """
        rejection = self.decisive.error
        if isinstance(rejection, ListNotFoundError):
            return not self.refuses_everybody
        if not (isinstance(rejection, ClientError) or (isinstance(rejection, ApiError) and rejection.status == 403)):
            return False
        return bool(_ORGANIZATION.search(str(getattr(rejection, "message", ""))))

    @property
    def is_vendors(self) -> bool | None:
        """Whether its services have the vendor's field names, or it lists organizations, which only the vendor does.

        None otherwise: a gateway in front of the vendor's server may not forward the list of organizations.
        """
        listed = self.services.document
        records = listed.get("result") if isinstance(listed, dict) else None
        services = [each for each in (records if isinstance(records, list) else ()) if isinstance(each, dict)]
        names = {name for each in services for name in each}
        for neutral, vendor in DIALECTS[CLICKHOUSE].fields["Service"].items():
            if (neutral in names) is not (vendor in names):
                return vendor in names
        return True if self.organizations.result is not None else None

    @cached_property
    def is_self_hosted(self) -> bool:
        """Whether this is a self-hosted observability server instead; the request contains no credentials."""
        return self.is_refused(Sources.LIST.self_hosted, stack_url=self.address, stack_token=NO_CREDENTIAL)


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
        """Whether it returns the current user, which only the vendor's servers do; None if it does not."""
        who = self.exchanges.ask(WHO_AM_I).document
        return True if isinstance(who, dict) and "version" in who else None

    @property
    def version(self) -> str | None:
        """Its version, if it reports one."""
        health = self.exchanges.ask(HEALTH).document
        return str(health["version"]) if isinstance(health, dict) and health.get("version") else None

    @cached_property
    def api_address(self) -> str | None:
        """The address of the API, if this is the address of the user interface, which forwards `/api`."""
        address = f"{self.address}/api"
        refused = self.is_refused(Sources.LIST.self_hosted, stack_url=address, stack_token=NO_CREDENTIAL)
        return address if refused else None

    @cached_property
    def is_management(self) -> bool:
        """Whether this is a management API instead; the request contains no credentials."""
        credentials = {"key_id": NO_CREDENTIAL, "key_secret": NO_CREDENTIAL, "organization_id": NOBODY}
        return self.is_refused(Services.LIST.managed, base_url=self.address, **credentials)
