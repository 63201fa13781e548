"""Infrastructures of the organization, whose record lists them: no operation reads one alone."""

from __future__ import annotations

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import ListNotFoundError, NotFoundError
from pulumi_clouddb.client.list_cache import ListKey
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.things.organizations.api import Organizations, parts_of

from .byoc_infrastructure import ByocInfrastructure, ByocState

PATH = ORGANIZATION + "/byocInfrastructure"
ONE = PATH + "/{byocInfrastructureId}"

_RECORD, _WORDS = "ByocInfrastructure", "the BYOC infrastructure"


class ByocInfrastructures(Collection[ByocInfrastructure]):
    """The infrastructures of the organization."""

    model = ByocInfrastructure
    body = body_of(ByocInfrastructure)
    id_part = "byoc_infrastructure_id"

    LIST = Organizations.GET
    CREATE = of_vendor("create_byoc_infrastructure", "POST", PATH, _RECORD, f"create {_WORDS}")
    UPDATE = of_vendor("update_byoc_infrastructure", "PATCH", ONE, _RECORD, f"update {_WORDS}")
    DELETE = of_vendor("delete_byoc_infrastructure", "DELETE", ONE, "None", f"delete {_WORDS}")

    @classmethod
    def plural(cls) -> str:
        """Return the name of such objects."""
        return "byoc_infrastructures"

    def list(self) -> dict[str, ByocInfrastructure]:
        """Request the infrastructures of the organization, without terminated ones.

        Raises:
            ListNotFoundError: There is no such organization.
        """
        try:
            return self._of_organization()
        except NotFoundError as error:
            raise ListNotFoundError(error.operation, error.url, error.message, status=error.status) from None

    def _of_organization(self) -> dict[str, ByocInfrastructure]:
        records = [self.parsed(each) for each in parts_of(self.call(self.LIST), "byocConfig")]
        return {self.id_of(each): each for each in records if each.state != ByocState.TERMINATED}

    def get(self, object_id: str) -> ByocInfrastructure:
        """Request the infrastructures of the organization, and return one.

        Raises:
            NotFoundError: The organization does not have it.
        """
        found = self._of_organization().get(object_id)
        if found is None:
            operation = self.LIST.managed
            raise NotFoundError(operation, operation.path, f"the organization has no infrastructure {object_id}")
        return found

    def name_of(self, record: ByocInfrastructure) -> str | None:
        """Return its display name, or its region."""
        return record.display_name or record.region_id

    @property
    def list_key(self) -> ListKey:
        """The key of the shared list; others read the organization, too."""
        return self.CREATE.managed, None
