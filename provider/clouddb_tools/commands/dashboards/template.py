"""Files of dashboards of a server, of a state or of a preview."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clouddb_tools.commands.export import files
from clouddb_tools.commands.export.names import resource_names, slug
from clouddb_tools.commands.render import Place
from clouddb_tools.commands.stack_config import session_of
from clouddb_tools.render.objects import Item
from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.names import ID, NAME
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.connections.api import Connections
from pulumi_clouddb.things.connections.connection import CONNECTION
from pulumi_clouddb.things.dashboards.api import Dashboards
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.dashboards.exports.names import Kind
from pulumi_clouddb.things.dashboards.exports.writing import template_of
from pulumi_clouddb.things.sources.api import Sources
from pulumi_clouddb.things.sources.source import SOURCE

from .losses import Declared

SUFFIX = ".json"

_TYPES = {Kind.SOURCE: SOURCE.name, Kind.CONNECTION: CONNECTION.name, Kind.DASHBOARD: DASHBOARD.name}
_COLLECTIONS: Mapping[Kind, type[Collection[Any]]] = {
    Kind.SOURCE: Sources,
    Kind.CONNECTION: Connections,
    Kind.DASHBOARD: Dashboards,
}


@dataclass(frozen=True)
class Template:
    """A file.

    Attributes:
        name: Its name without the suffix, unless the user names the file.
        content: Its content.
        declared: What is lost.
    """

    name: str
    content: WireDict
    declared: Declared


def templates(place: Place, names: Sequence[str], stack: str | None, cwd: Path) -> list[Template]:
    """Return the files of dashboards.

    Args:
        place: Where the dashboards are.
        names: The names of the wanted ones; all if empty.
        stack: The stack whose configuration names the server, for the names of objects that are elsewhere.
        cwd: The folder of the project.

    Raises:
        ResourceError: There is no such dashboard.
    """
    boards = [each for each in place.items if each.kind == DASHBOARD.name]
    known = {name for each in boards for name in _names_of(each)}
    if missing := [name for name in names if name not in known]:
        raise ResourceError(
            f"no dashboard in {place.origin} is named {missing[0]!r}", f"Choose one of {', '.join(sorted(known))}."
        )
    chosen = [each for each in boards if not names or _names_of(each) & set(names)]
    if not chosen:
        raise ResourceError(f"there is no dashboard in {place.origin}", "Choose another source.")
    wanted = [(slug(str(each.values.get(NAME))) or "dashboard", slug(each.name)) for each in chosen]
    found = []
    for name, each in zip(resource_names(wanted), chosen, strict=True):
        service = each.values.get("serviceId")
        finder = _Names(place.items, service if isinstance(service, str) else None, stack, cwd)
        content, losses = template_of(each.values, finder)
        found.append(Template(name, content, Declared(f"dashboard {each.values.get(NAME)!r}", losses)))
    return found


def _names_of(item: Item) -> set[str]:
    return {item.name, str(item.values.get(NAME))}


class _Names:
    """Finds names by id: among the resources of a stack, or else on the server, if one is configured."""

    def __init__(self, items: Sequence[Item], service_id: str | None, stack: str | None, cwd: Path) -> None:
        self._items, self._service, self._stack, self._cwd = items, service_id, stack, cwd
        self._listed: dict[Kind, dict[str, str]] = {}

    def __call__(self, kind: Kind, object_id: str) -> str | None:
        """Return the name of an object; None if it is unknown."""
        for each in self._items:
            if each.kind == _TYPES[kind] and each.id == object_id and isinstance(each.values.get(NAME), str):
                return str(each.values[NAME])
        if kind not in self._listed:
            self._listed[kind] = self._list(kind)
        return self._listed[kind].get(object_id)

    def _list(self, kind: Kind) -> dict[str, str]:
        if kind is Kind.CONNECTION and self._service is not None:
            return {}  # only self-hosted servers list them
        try:
            session: Session = session_of(self._stack, self._cwd)
            records = session.api.of(_COLLECTIONS[kind], self._service).records() or {}
        except CloudDBError:
            return {}  # the file is written with the id, and a warning
        return {object_id: str(each.answer.get(NAME)) for object_id, each in records.items() if each.answer.get(ID)}


def written(output: Path, found: Sequence[Template]) -> list[Path]:
    """Write the files, and return their paths.

    Raises:
        ResourceError: A file cannot be written, or there are several dashboards for one file.
    """
    if output.suffix == SUFFIX and len(found) > 1:
        raise ResourceError(f"{len(found)} dashboards cannot be in one file", "Name one, or a folder with --output.")
    paths = [output] if output.suffix == SUFFIX else [output / f"{each.name}{SUFFIX}" for each in found]
    for path, each in zip(paths, found, strict=True):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ResourceError(f"{path.parent} cannot be created: {error.strerror}", "Choose another one.") from None
        files.write(path, json.dumps(each.content, indent=4, ensure_ascii=False) + "\n")
    return paths
