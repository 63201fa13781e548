"""One run: the proxy, the lives in both front ends, and the deletion of what is left."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig
from real_server.play import refuse_objects
from support.front_ends import FrontEnds

from .account import Account, Kind, result_of, server_of
from .assumptions import Row, probed
from .guard import FOLDER, Ledger, Origin, Run
from .lives import PLUGIN, Played, Player
from .needs import NOTHING, Needs
from .parts import Part, client_of, random, requests
from .proxy import NOT_FOUND, Proxy
from .subject import Subject
from .sweep import NOT_DONE, WHO, Sweep, ledgers
from .world import World, replicas_of

FRONT_ENDS = ("dynamic", PLUGIN)


class WrongAccountError(Exception):
    """The credentials belong to another organization or team than the one that the caller names."""


@dataclass(frozen=True)
class Connected:
    """A run that is connected to its server."""

    account: Account
    proxy: Proxy
    ledger: Ledger


@contextmanager
def connected(kind: Kind, config: ProviderConfig, ledger: Ledger) -> Iterator[Connected]:
    """Connect a run to the server of a configuration.

    Raises:
        ValueError: The configuration names no server.
    """
    account = Account(kind, config, ledger.run)
    with Proxy(account.base_url, ledger) as proxy:
        yield Connected(replace(account, proxy_url=proxy.url), proxy, ledger)


def new_ledger(kind: Kind, config: ProviderConfig, owner: str, needs: Needs = NOTHING, folder: Path = FOLDER) -> Ledger:
    """Return the ledger of a new run.

    Raises:
        ValueError: The configuration names no server.
    """
    run = Run.new()
    return Ledger(
        run, folder.expanduser() / f"{run.token}.jsonl", Origin(server_of(kind, config), owner), needs.allowances
    )


def check_owner(account: Account, owner: str) -> None:
    """Check that the credentials belong to the organization, or to the team of a self-hosted server, with this id.

    Raises:
        WrongAccountError: They belong to another one, or the configuration names another one.
    """
    if account.kind is Kind.CLOUD and account.organization_id != owner:
        raise WrongAccountError(f"CLOUDDB_ORGANIZATION_ID is {account.organization_id or 'not set'}, not {owner}")
    if (ids := _owners(account)) != [owner]:
        raise WrongAccountError(f"the credentials belong to {', '.join(ids) or 'no organization'}, not to {owner}")


def _owners(account: Account) -> list[str]:
    """Return the ids of the organizations or teams that the credentials belong to.

    A server of the interface need not say. Then the organization is the one whose services the key lists, and a
    self-hosted server is known by its address.
    """
    is_cloud = account.kind is Kind.CLOUD
    response = account.raw(
        "GET", account.path(OPERATIONS["list_organizations" if is_cloud else "get_team"]), who="plan"
    )
    if response.status_code != NOT_FOUND:
        found = result_of(response)
        return [each["id"] for each in (found if isinstance(found, list) else [found])]
    if not is_cloud:
        return [account.base_url]
    result_of(account.raw("GET", account.path(OPERATIONS["list_services"]), who="plan"))
    return [account.organization_id]


def play(
    connection: Connected,
    subjects: Sequence[Subject],
    needs: Needs = NOTHING,
    show: Callable[[str], None] = print,
    *,
    edits: bool = False,
    front_ends: Sequence[str] = FRONT_ENDS,
) -> list[Played]:
    """Play the lives of all subjects with each front end, one after the other."""
    account, proxy, played = connection.account, connection.proxy, []
    connection.ledger.begins()
    world = World(account, needs)
    # What the configuration of a stack lacks is taken from the environment, such as the address of another server.
    others = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, others, clear=True),
        FrontEnds(account.stack_config, Path(folder)) as both,
    ):
        drivers = dict(zip(FRONT_ENDS, (both.dynamic, both.native), strict=True))
        players = [Player(account, proxy, drivers[name], name, world, edits) for name in front_ends]
        for subject in subjects:
            for player in players:
                played.append(_life(player, subject, needs))
                show(_line(played[-1]))
    return played


def probe(connection: Connected, needs: Needs = NOTHING) -> list[Row]:
    """Probe the assumptions about the server, and return what each probe found out."""
    connection.ledger.begins()
    connection.proxy.who = "probe"
    given = needs.model_dump(exclude_none=True)
    place = {**needs.place.model_dump(), "replicas": replicas_of(connection.account, needs)}
    return probed(connection.account, {**given, "place": place})


def send(connection: Connected, part: Part, *, seed: int = 1, count: int = 3000, write: bool = False) -> list[str]:
    """Send raw requests to a self-hosted server that has no objects, and return the differences.

    Raises:
        ValueError: The server has objects.
    """
    ledger = connection.ledger
    with client_of(connection.account) as http:
        refuse_objects(http)
        ledger.allowances = replace(ledger.allowances, everything=True)
        ledger.begins()
        found = requests(http, write=write) if part is Part.REQUESTS else random(http, seed=seed, count=count)
        return list(found)


def _life(player: Player, subject: Subject, needs: Needs) -> Played:
    skipped = ""
    if not subject.is_known_in(player.account.dialect):
        skipped = "servers of this dialect have no such objects"
    elif not needs.has(subject.need):
        skipped = f"the file of needs does not have `{subject.need}`"
    return Played(subject, player.front_end, skipped=skipped) if skipped else player.play(subject)


def _line(played: Played) -> str:
    result = f"skipped: {played.skipped}" if played.skipped else "passed" if played.passed else "problems"
    return f"{played.front_end}: {played.subject.name}: {result}"


def clean_up(connection: Connected) -> list[str]:
    """Delete what the run left, and return a line for each object that could not be deleted or restored."""
    connection.proxy.who = WHO
    return [line for line in Sweep(connection.account, connection.ledger).delete() if NOT_DONE in line]


def earlier(kind: Kind, config: ProviderConfig, owner: str, folder: Path = FOLDER) -> list[Ledger]:
    """Return the ledgers of the runs in an organization or a team that have left something, newest first."""
    return [each for each in ledgers(folder) if each.origin == Origin(server_of(kind, config), owner)]


def sweep(kind: Kind, config: ProviderConfig, owner: str, folder: Path = FOLDER) -> Iterator[str]:
    """Delete what earlier runs left in an organization or a team, and yield a line for each object."""
    for ledger in earlier(kind, config, owner, folder):
        with connected(kind, config, ledger) as connection:
            connection.proxy.who = WHO
            yield from Sweep(connection.account, ledger).delete()
