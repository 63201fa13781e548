"""Infrastructures of the organization, whose record lists them; newer servers also read one with its details."""

from __future__ import annotations

import math
from contextlib import suppress

from pulumi_clouddb.client.errors import ListNotFoundError, NotFoundError
from pulumi_clouddb.client.list_cache import ListKey
from pulumi_clouddb.client.operation import ORGANIZATION, of_vendor
from pulumi_clouddb.schema.convert import parse
from pulumi_clouddb.schema.thing import body_of
from pulumi_clouddb.schema.values import WireValues
from pulumi_clouddb.things.organizations.api import OrganizationParts

from .byoc_infrastructure import OF_DETAILS, ByocInfrastructure, ByocState
from .validation import ByocPrivateEndpointConfig, ByocProgress, ByocValidation

PATH = ORGANIZATION + "/byocInfrastructure"
ONE = PATH + "/{byocInfrastructureId}"

_RECORD, _WORDS = "ByocInfrastructure", "the BYOC infrastructure"


class ByocInfrastructures(OrganizationParts[ByocInfrastructure]):
    """The infrastructures of the organization."""

    model = ByocInfrastructure
    body = body_of(ByocInfrastructure)
    id_part = "byoc_infrastructure_id"
    part = "byocConfig"
    not_listed = OF_DETAILS

    CREATE = of_vendor("create_byoc_infrastructure", "POST", PATH, _RECORD, f"create {_WORDS}")
    GET = of_vendor("get_byoc_infrastructure", "GET", ONE, "ByocDetails", f"read {_WORDS}")
    UPDATE = of_vendor("update_byoc_infrastructure", "PATCH", ONE, _RECORD, f"update {_WORDS}")
    DELETE = of_vendor("delete_byoc_infrastructure", "DELETE", ONE, "None", f"delete {_WORDS}")
    GET_TAGS = of_vendor("get_byoc_tags", "GET", ONE + "/tags", "ByocTags", f"read the tags of {_WORDS}")
    GET_PROGRESS = of_vendor(
        "get_byoc_progress", "GET", ONE + "/progress", "ByocProgress", f"read the progress of {_WORDS}"
    )
    GET_PRIVATE_ENDPOINT_CONFIG = of_vendor(
        "get_byoc_private_endpoint_config",
        "GET",
        ONE + "/privateEndpointConfig",
        "ByocPrivateEndpointConfig",
        f"read the private endpoint configuration of {_WORDS}",
    )
    VALIDATE = of_vendor(
        "validate_byoc_infrastructure",
        "POST",
        PATH + "/validate",
        "ByocValidation",
        "validate the account of the BYOC infrastructure",
    )

    def list(self) -> dict[str, ByocInfrastructure]:
        """Request the infrastructures of the organization, without terminated ones."""
        return {id_: each for id_, each in super().list().items() if each.state != ByocState.TERMINATED}

    def get(self, object_id: str) -> ByocInfrastructure:
        """Request one infrastructure with its details and tags; older servers only list it.

        Raises:
            NotFoundError: There is no such infrastructure.
        """
        details = self.api.if_offered(self.GET.managed, lambda: self.call(self.GET, object_id))
        listed = None
        with suppress(ListNotFoundError):
            max_age = 0.0 if details is None else math.inf
            listed = (self.records(max_age=max_age, allow_stale=details is not None) or {}).get(object_id)
        if (listed is None) if details is None else (details.get("state") == ByocState.TERMINATED):
            operation = self.GET.managed
            raise NotFoundError(operation, operation.path, f"{object_id} does not exist")
        tags = self.api.if_offered(self.GET_TAGS.managed, lambda: self.call(self.GET_TAGS, object_id))
        known = listed.answer if listed else {}
        return self.parsed({**known, **(details or {}), **(tags or {})})

    def validate(self, body: WireValues) -> ByocValidation | None:
        """Validate a cloud account for a new infrastructure; None if the server does not offer that."""
        found = self.api.if_offered(self.VALIDATE.managed, lambda: self.call(self.VALIDATE, None, body))
        return None if found is None else parse(ByocValidation, found)

    def progress(self, object_id: str) -> ByocProgress:
        """Return the progress of the provisioning; without stages if the server does not report it."""
        found = self.api.if_offered(self.GET_PROGRESS.managed, lambda: self.call(self.GET_PROGRESS, object_id))
        return parse(ByocProgress, found or {})

    def private_endpoint_config(self, object_id: str) -> ByocPrivateEndpointConfig:
        """Return how private endpoints reach an infrastructure."""
        return parse(ByocPrivateEndpointConfig, self.call(self.GET_PRIVATE_ENDPOINT_CONFIG, object_id))

    def name_of(self, record: ByocInfrastructure) -> str | None:
        """Return its display name, or its region."""
        return record.display_name or record.region_id

    @property
    def list_key(self) -> ListKey:
        """The key of the shared list; others read the organization, too."""
        return self.CREATE.managed, None
