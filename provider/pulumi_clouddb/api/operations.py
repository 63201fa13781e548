"""Every operation by its name: those of all collections."""

from __future__ import annotations

from typing import Any

from .alerts import Alerts
from .collection import Collection
from .dashboards import Dashboards
from .keys import Keys
from .operation import Operation as Operation
from .operation import ServerKind as ServerKind
from .pipes import Pipes
from .services import Services
from .sources import Sources

COLLECTIONS: tuple[type[Collection[Any]], ...] = (Services, Pipes, Keys, Dashboards, Alerts, Sources)
"""All collections that the interface knows."""

OPERATIONS: dict[str, Operation] = {
    operation.name: operation for collection in COLLECTIONS for operation in collection.operations()
}
"""All operations by name, by which `clouddb:paths` overrides their paths."""
