"""One run: the proxy, the lives in both front ends, and the deletion of what is left."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.config import ProviderConfig
from support.front_ends import FrontEnds

from .account import Account, Kind, result_of
from .guard import FOLDER, Ledger, Run
from .lives import Played, Player, Subject
from .proxy import Proxy
from .records import RECORDS, Recorder
from .sweep import WHO, Sweep, ledgers

FRONT_ENDS = ("dynamic", "plugin")


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


def new_ledger(folder: Path = FOLDER) -> Ledger:
    """Return the ledger of a new run."""
    run = Run.new()
    return Ledger(run, folder / f"{run.token}.jsonl")


def check_owner(account: Account, owner: str) -> None:
    """Check that the credentials belong to the organization, or to the team of a self-hosted server, with this id.

    Raises:
        WrongAccountError: They belong to another one, or the configuration names another one.
    """
    if account.kind is Kind.CLOUD and account.organization_id != owner:
        raise WrongAccountError(f"CLOUDDB_ORGANIZATION_ID is {account.organization_id or 'not set'}, not {owner}")
    operation = OPERATIONS["list_organizations" if account.kind is Kind.CLOUD else "get_team"]
    found = result_of(account.raw("GET", account.path(operation), who="plan"))
    ids = [each["id"] for each in (found if isinstance(found, list) else [found])]
    if ids != [owner]:
        raise WrongAccountError(f"the credentials belong to {', '.join(ids) or 'no organization'}, not to {owner}")


def play(connection: Connected, subjects: Sequence[Subject], show: Callable[[str], None] = print) -> list[Played]:
    """Play the lives of all subjects with both front ends, one after the other."""
    account, proxy, played = connection.account, connection.proxy, []
    with tempfile.TemporaryDirectory() as folder, FrontEnds(account.stack_config, Path(folder)) as both:
        for name, driver in zip(FRONT_ENDS, (both.dynamic, both.native), strict=True):
            player = Player(account, proxy, driver, name, {})
            for subject in subjects:
                played.append(player.play(subject))
                show(f"{name}: {subject.name}: {'passed' if played[-1].passed else 'problems'}")
    return played


def clean_up(connection: Connected) -> list[str]:
    """Delete what the run left, and return a line for each object."""
    connection.proxy.who = WHO
    return list(Sweep(connection.account, connection.ledger).delete())


def sweep(kind: Kind, config: ProviderConfig, folder: Path = FOLDER) -> Iterator[str]:
    """Delete what earlier runs left, and yield a line for each object."""
    for file in ledgers(folder):
        with connected(kind, config, Ledger.read(file)) as connection:
            yield from clean_up(connection)


@contextmanager
def recorded(connection: Connected, planted: object = None) -> Iterator[Path]:
    """Record the exchanges of a block in a file, and check at its end that the file contains no secret.

    Args:
        connection: The run.
        planted: Inputs; none of their secrets may be in the file.

    Raises:
        SecretsInRecordsError: The file contains a secret.
    """
    folder = connection.ledger.file.parent if connection.ledger.file else FOLDER
    recorder = Recorder.of(connection.account, folder / RECORDS / f"{connection.ledger.run.token}.jsonl")
    connection.proxy.listeners.append(recorder)
    try:
        yield recorder.file
    finally:
        connection.proxy.listeners.remove(recorder)
        recorder.check(planted)
