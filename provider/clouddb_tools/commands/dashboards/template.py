"""Files of dashboards of a server, of a state or of a preview."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from clouddb_tools.commands.export import files
from clouddb_tools.commands.export.names import resource_names, slug
from clouddb_tools.commands.render import Place
from clouddb_tools.commands.stack_config import session_of
from clouddb_tools.render.objects import Item
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import CloudDBError, ResourceError
from pulumi_clouddb.schema.names import NAME
from pulumi_clouddb.schema.values import WireDict
from pulumi_clouddb.things.connections.connection import CONNECTION
from pulumi_clouddb.things.dashboards.dashboard import DASHBOARD
from pulumi_clouddb.things.dashboards.files.names import Kind
from pulumi_clouddb.things.dashboards.files.writing import template_of
from pulumi_clouddb.things.dashboards.server_names import names_on_server
from pulumi_clouddb.things.sources.source import SOURCE

from .losses import Declared

SUFFIX = ".json"

_TYPES = {Kind.SOURCE: SOURCE.name, Kind.CONNECTION: CONNECTION.name, Kind.DASHBOARD: DASHBOARD.name}


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
    chosen = _chosen(place, names)
    wanted = [(slug(str(each.values.get(NAME))) or "dashboard", slug(each.name)) for each in chosen]
    finder = _Names(place.items, stack, cwd)
    found = []
    for name, each in zip(resource_names(wanted), chosen, strict=True):
        service = each.values.get("serviceId")
        name_of = partial(finder.name_of, service if isinstance(service, str) else None)
        content, losses = template_of(each.values, name_of)
        found.append(Template(name, content, Declared(f"dashboard {each.values.get(NAME)!r}", losses)))
    return found


def _chosen(place: Place, names: Sequence[str]) -> list[Item]:
    boards = [each for each in place.items if each.kind == DASHBOARD.name]
    known = {name for each in boards for name in _names_of(each)}
    if missing := [name for name in names if name not in known]:
        raise ResourceError(
            f"no dashboard in {place.origin} is named {missing[0]!r}", f"Choose one of {', '.join(sorted(known))}."
        )
    chosen = [each for each in boards if not names or _names_of(each) & set(names)]
    if not chosen:
        raise ResourceError(f"there is no dashboard in {place.origin}", "Choose another source.")
    return chosen


def _names_of(item: Item) -> set[str]:
    return {item.name, str(item.values.get(NAME))}


class _Names:
    """Finds names by id: among the resources of a stack, or else on their server, if one is configured."""

    def __init__(self, items: Sequence[Item], stack: str | None, cwd: Path) -> None:
        self._items, self._stack, self._cwd = items, stack, cwd
        self._listed: dict[tuple[str | None, Kind], Mapping[str, str]] = {}

    def name_of(self, service_id: str | None, kind: Kind, object_id: str) -> str | None:
        """Return the name of an object to which a dashboard of a service refers; None if it is unknown."""
        for each in self._items:
            if each.kind == _TYPES[kind] and each.id == object_id and isinstance(each.values.get(NAME), str):
                return str(each.values[NAME])
        if (service_id, kind) not in self._listed:
            self._listed[service_id, kind] = self._list(service_id, kind)
        return self._listed[service_id, kind].get(object_id)

    def _list(self, service_id: str | None, kind: Kind) -> Mapping[str, str]:
        try:
            return names_on_server(self._api, service_id, kind) if self._api else {}
        except CloudDBError:
            return {}  # the file is written with the id, and a warning

    @cached_property
    def _api(self) -> Api | None:
        """The servers; None if none is configured."""
        try:
            return session_of(self._stack, self._cwd).api
        except CloudDBError:
            return None


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
