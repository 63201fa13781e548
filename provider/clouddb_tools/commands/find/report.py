"""The output of `clouddb find`, as text and as JSON."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from clouddb_tools.commands.exit_codes import FindExit
from clouddb_tools.commands.export.inventory import by_reason
from clouddb_tools.commands.export.names import slug, usual_name
from clouddb_tools.commands.printing import console, echo
from pulumi_clouddb.client.errors import ConfigError, first_line
from pulumi_clouddb.registry import RESOURCES

from .query import TILE, Query
from .search import Match, Result
from .servers import SERVERS, Servers
from .stacks import Managed, in_stack


@dataclass
class States:
    """The states that were looked into.

    Attributes:
        managed: Their resources.
        read: Their names.
        unread: Why others could not be read.
    """

    managed: list[Managed] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add(self, name: str, managed: Sequence[Managed]) -> None:
        """Add the resources of a state."""
        self.read.append(name)
        self.managed += managed

    def read_stack(self, name: str, folder: Path) -> None:
        """Add the resources of a stack, or why its state cannot be read."""
        try:
            self.add(name, in_stack(name, folder))
        except ConfigError as error:
            self.unread.append(first_line(error))


NO_STATE = "not known: no state was read; name one with --stack, --all-stacks or --state-file"

LEFTOVER = "by the next `pulumi up` of this stack"
"""When an object is deleted that a replacement has left in the state."""


def show(query: Query, result: Result, servers: Servers, states: States) -> None:
    """Print what was found, or what was searched; warnings name what could not be searched."""
    warnings = list(_unsearched(servers, states))
    for warning in warnings:
        echo(f"warning: not searched: {warning}", err=True)
    if not result.matches:
        where = f"{_searched(servers, states)}{', as far as that was searched' if warnings else ''}"
        echo(f"error: nothing with the id or name {query.text!r} was found in {where}", err=True)
        if result.near:
            echo(f"Similar names: {', '.join(map(repr, result.near))}.", err=True)
    elif len(result.matches) == 1 or query.target:
        echo("\n\n".join("\n".join(_lines(each, result.page, states)) for each in result.matches))
    else:
        _table(result, states)


def _lines(match: Match, page: str | None, states: States) -> Iterator[str]:
    """Yield the description of an object."""
    yield _title(match)
    for name, text in _facts(match, page, states):
        yield f"  {name:9}{text}"


def _title(match: Match) -> str:
    name = f" {match.name!r}" if match.name else ""
    return f"{match.kind}{name} ({match.object_id})"


def _facts(match: Match, page: str | None, states: States) -> Iterator[tuple[str, str]]:
    if match.within:
        yield "in", _title(match.within)
    yield "of", _place(match)
    if match.watches:
        inside = f" in {_title(match.watches.within)}" if match.watches.within else ""
        yield "watches", f"{_title(match.watches)}{inside}"
    if address := _page(match, page):
        yield "page", address
    for each in match.managed:
        yield "stack", each.origin
        yield "URN", each.urn
        if each.is_leftover:
            yield "deleted", f"{LEFTOVER}: a replacement has left it there"
        if match.kind == TILE:
            key = each.key_of(match.object_id)
            yield "key", repr(key) if key else "none: the tile is not in the state of its dashboard"
    if not match.managed:
        yield "stack", _unmanaged(match, states)
        for line in _imports(match) if states.read and match.can_be_managed else ():
            yield "import", line


def _place(match: Match) -> str:
    if match.listing is None:
        return match.missing
    if match.listing.service_id is None or match.listing.place == match.listing.service_id:
        return match.listing.place
    return f"service {match.listing.place!r} ({match.listing.service_id})"


def _page(match: Match, page: str | None) -> str:
    if page is None or not match.path:
        return ""
    return f"{page}{match.path}" if page else f"{match.path} after the address of the server's page"


def _unmanaged(match: Match, states: States) -> str:
    if not match.can_be_managed:
        return "none: it belongs to the server, and no program can manage it"
    return f"none of {', '.join(states.read)}" if states.read else NO_STATE


def _imports(match: Match) -> Iterator[str]:
    """Yield the commands that import an object: with the plugin, and for the Python classes."""
    whole = match.within or match
    name = slug(whole.name) or usual_name(whole.kind)
    yield shlex.join(["pulumi", "import", RESOURCES[whole.kind].type.token, name, whole.import_id])
    yield shlex.join(["clouddb", "import-file", f"{whole.kind}:{name}={whole.import_id}"])


def _table(result: Result, states: States) -> None:
    table = Table(*(Column(each, overflow="fold") for each in ("Kind", "Name", "Id", "Of", "Managed by")))
    for each in result.matches:
        where = f"{_title(each.within)} of {_place(each)}" if each.within else _place(each)
        urns = "\n".join(f"{it.urn} (deleted {LEFTOVER})" if it.is_leftover else it.urn for it in each.managed)
        table.add_row(each.kind, each.name, each.object_id, where, urns or ("no stack" if states.read else ""))
    console().print(table)
    echo("More about one: clouddb find ID")


def _unsearched(servers: Servers, states: States) -> Iterator[str]:
    for (what, reason), which in by_reason(servers.notes).items():
        yield f"{what} {', '.join(which)}: {reason}"
    yield from states.unread


def _searched(servers: Servers, states: States) -> str:
    """Return what was searched, in words."""
    places = list(dict.fromkeys(each.place for each in servers.read))
    others = [each for each in places if each not in SERVERS.values()]
    of_services = [f"{len(others)} services" if len(others) > 1 else f"service {others[0]!r}"] if others else []
    in_states = [f"the state of {', '.join(states.read)}"] if states.read else []
    words = [*(each for each in places if each in SERVERS.values()), *of_services, *in_states]
    return ", ".join(words) or "no server and no state"


def document(query: Query, result: Result, servers: Servers, states: States, code: FindExit) -> str:
    """Return what was found as JSON."""
    return json.dumps(
        {
            "outcome": code.outcome,
            "exitCode": code.value,
            "query": query.text,
            "matches": [_entry(each, result.page, states) for each in result.matches],
            "searched": [*dict.fromkeys(each.place for each in servers.read), *states.read],
            "notSearched": list(_unsearched(servers, states)),
            "similarNames": result.near,
        },
        indent=2,
        ensure_ascii=False,
    )


def _entry(match: Match, page: str | None, states: States) -> dict[str, Any]:
    importable = not match.managed and match.can_be_managed and states.read
    return {
        **_reference(match),
        "serviceId": match.listing.service_id if match.listing else None,
        "of": _place(match),
        "watches": _reference(match.watches) if match.watches else None,
        "page": f"{page}{match.path}" if page is not None and match.path else None,
        "managedBy": [
            {
                "stack": each.origin,
                "urn": each.urn,
                "tileKey": each.key_of(match.object_id),
                "pendingDeletion": each.is_leftover,
            }
            for each in match.managed
        ],
        "import": list(_imports(match)) if importable else [],
    }


def _reference(match: Match) -> dict[str, Any]:
    within = _reference(match.within) if match.within else None
    return {"kind": match.kind, "name": match.name, "id": match.object_id, "dashboard": within}
