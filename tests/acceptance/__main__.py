"""Proves on a real account what this package believes of its servers: `make acceptance`, from a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import typer

from clouddb_tools.commands.printing import echo
from pulumi_clouddb.schema.config import ProviderConfig, gather

from . import plan, report
from .account import Kind
from .assumptions import Row, table_of
from .guard import FOLDER
from .lives import Played, subjects_of
from .needs import Needs, read
from .observed import Observed
from .outcome import Differs
from .parts import Part
from .run import (
    FRONT_ENDS,
    Connected,
    WrongAccountError,
    check_owner,
    clean_up,
    connected,
    earlier,
    new_ledger,
    play,
    probe,
    send,
    sweep,
)
from .subject import Subject
from .sweep import NOT_DONE

OWNER = "ACCEPTANCE_ORGANIZATION"
"""The variable with the id of the organization, or of the team of a self-hosted server, in which the run may work."""

NOT_STARTED = "Nothing has been made. To start, add YES=1."


@dataclass(frozen=True)
class Chosen:
    """The parts of a run.

    Attributes:
        subjects: The objects whose lives are played.
        assumptions: Whether the assumptions are probed.
        every: Whether each object is also edited ten times.
    """

    subjects: Sequence[Subject]
    assumptions: bool
    every: bool

    @classmethod
    def by(cls, server: Kind, only: str, every: bool) -> Chosen:
        """Return what matches a regular expression."""
        subjects = [each for each in subjects_of(server, every=every) if re.search(only, each.name)]
        return cls(subjects, re.search(only, "assumptions") is not None, every)


def main(
    server: Annotated[Kind, typer.Option(help="The server.")] = Kind.CLOUD,
    go: Annotated[bool, typer.Option("--yes", help="Start; without it, only the plan is printed.")] = False,
    only: Annotated[str, typer.Option(help="Only objects, or `assumptions`, that match this regular expression.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Play also all variants, and ten edits of each object.")] = False,
    needs: Annotated[Path | None, typer.Option(help="The file of needs.")] = None,
    part: Annotated[Part | None, typer.Option(help="Send raw requests to an empty server instead.")] = None,
    seed: Annotated[int, typer.Option(help="Which random requests.")] = 1,
    count: Annotated[int, typer.Option(help="How many random requests.")] = 3000,
    write: Annotated[bool, typer.Option("--write", help="Record the responses of a new release.")] = False,
    sweeps: Annotated[bool, typer.Option("--sweep", help="Delete what earlier runs left, and end.")] = False,
) -> None:
    """Prove on a real account what this package believes of its servers."""
    try:
        config = ProviderConfig.model_validate(gather(lambda _: None, os.environ))
        given, owner = read(needs), _owner()
        with connected(server, config, new_ledger(server, config, owner, given)) as connection:
            check_owner(connection.account, owner)
            if go and not sweeps and (left := earlier(server, config, owner)):
                raise ValueError(f"An earlier run has left objects ({left[0].file}).\nDelete them: add SWEEP=1.")
            if sweeps:
                failed = _sweep(connection, owner)
            elif part is not None:
                failed = _send(connection, lambda: send(connection, part, seed=seed, count=count, write=write), go=go)
            else:
                failed = _run(connection, Chosen.by(server, only, every), given, go=go)
    except (OSError, ValueError, WrongAccountError) as error:
        echo(str(error), err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(1 if failed else 0)


def _owner() -> str:
    owner = os.environ.get(OWNER, "")
    if not owner:
        raise WrongAccountError(f"{OWNER} is not set: set it to the id of the organization, or of the team")
    return owner


def _sweep(connection: Connected, owner: str) -> bool:
    """Delete what earlier runs left, and return whether something could not be deleted."""
    lines = list(sweep(connection.account.kind, connection.account.config, owner))
    for line in lines or ["No run has left anything."]:
        echo(line)
    return any(NOT_DONE in each for each in lines)


def _send(connection: Connected, sent: Callable[[], list[str]], *, go: bool) -> bool:
    """Send raw requests, print the differences, and return whether there were any."""
    if connection.account.kind is not Kind.OBSERVABILITY:
        raise ValueError("raw requests are for a self-hosted server: add SERVER=observability")
    echo(f"Sends raw requests to {connection.account.base_url}, which must have no objects, and deletes theirs")
    if not go:
        echo(NOT_STARTED)
        return False
    try:
        lines = sent()
    finally:
        left = clean_up(connection)
    for line in [*lines, *left]:
        echo(line)
    return any(": " in each for each in [*lines, *left])


def _run(connection: Connected, chosen: Chosen, needs: Needs, *, go: bool) -> bool:
    """Play the lives, probe the assumptions, print and keep the report, and return whether there were problems."""
    account, observed = connection.account, Observed()
    for line in plan.lines(account, chosen.subjects, needs, FRONT_ENDS, assumptions=chosen.assumptions):
        echo(line)
    if not go:
        echo(NOT_STARTED)
        return False
    connection.proxy.listeners.append(observed)
    lives: list[Played] = []
    rows: list[Row] = []
    try:
        lives = play(connection, chosen.subjects, needs, echo, edits=chosen.every)
        clean_up(connection)  # so that no more than two services exist while the assumptions are probed
        rows = probe(connection, needs) if chosen.assumptions else []
    finally:
        left = clean_up(connection)
        sections = {"Assumptions": [*table_of(rows)]} if rows else {}
        text = "\n".join(report.lines(account, lives, observed, sections, left, datetime.now(timezone.utc).date()))
        file = FOLDER.expanduser() / f"{account.run.token}.md"
        file.write_text(report.without_credentials(text, account) + "\n", encoding="utf-8")
        echo(file.read_text(encoding="utf-8"))
    echo(f"The report is in {file}")
    differs = any(isinstance(each.outcome, Differs) for each in rows)
    return bool(left) or differs or not all(each.passed for each in lives)


if __name__ == "__main__":
    typer.run(main)
