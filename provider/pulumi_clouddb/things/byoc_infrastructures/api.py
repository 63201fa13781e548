"""Infrastructures of the organization, whose record lists them: no operation reads one alone."""

from __future__ import annotations

from pulumi_clouddb.client.list_cache import ListKey
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.organizations.api import OrganizationParts

from .byoc_infrastructure import ByocInfrastructure, ByocState

PATH = ORGANIZATION + "/byocInfrastructure"
ONE = PATH + "/{byocInfrastructureId}"

_RECORD, _WORDS = "ByocInfrastructure", "the BYOC infrastructure"


class ByocInfrastructures(OrganizationParts[ByocInfrastructure]):
    """The infrastructures of the organization."""

    model = ByocInfrastructure
    body = body_of(ByocInfrastructure)
    id_part = "byoc_infrastructure_id"
    part = "byocConfig"

    CREATE = of_vendor("create_byoc_infrastructure", "POST", PATH, _RECORD, f"create {_WORDS}")
    UPDATE = of_vendor("update_byoc_infrastructure", "PATCH", ONE, _RECORD, f"update {_WORDS}")
    DELETE = of_vendor("delete_byoc_infrastructure", "DELETE", ONE, "None", f"delete {_WORDS}")

    def list(self) -> dict[str, ByocInfrastructure]:
        """Request the infrastructures of the organization, without terminated ones."""
        return {id_: each for id_, each in super().list().items() if each.state != ByocState.TERMINATED}

    def name_of(self, record: ByocInfrastructure) -> str | None:
        """Return its display name, or its region."""
        return record.display_name or record.region_id

    @property
    def list_key(self) -> ListKey:
        """The key of the shared list; others read the organization, too."""
        return self.CREATE.managed, None
