"""Names of the objects that dashboards refer to, as their server lists them."""

from __future__ import annotations

from collections.abc import Mapping

from pulumi_clouddb.client.collection import SHARED_LIST_SECONDS, Api
from pulumi_clouddb.resource.base import AnyCollection
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.things.connections.api import Connections
from pulumi_clouddb.things.sources.api import Sources

from .api import Dashboards
from .files.names import Kind

_COLLECTIONS: Mapping[Kind, AnyCollection] = {
    Kind.SOURCE: Sources,
    Kind.CONNECTION: Connections,
    Kind.DASHBOARD: Dashboards,
}


def names_on_server(
    api: Api, service_id: str | None, kind: Kind, *, max_age: float = SHARED_LIST_SECONDS
) -> dict[str, str]:
    """Return the name of each object of a kind, by id; none if the server does not list them.

    The server is that of a service, or without one the self-hosted server.

    Raises:
        ApiError: The list could not be read.
    """
    if kind is Kind.CONNECTION and service_id is not None:
        return {}  # only self-hosted servers list them
    records = api.of(_COLLECTIONS[kind], service_id).records(max_age=max_age) or {}
    return {id_: str(each.answer.get(NAME)) for id_, each in records.items()}
