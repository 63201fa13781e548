"""Proves on a real account what this package believes of its servers: `make acceptance`, from a checkout."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from pydantic import ValidationError

from clouddb_tools.commands.printing import echo
from pulumi_clouddb.schema.config import ProviderConfig, gather

from . import plan, report
from .account import Kind
from .lives import subjects_of
from .run import FRONT_ENDS, Connected, WrongAccountError, check_owner, clean_up, connected, new_ledger, play, sweep

OWNER = "ACCEPTANCE_ORGANIZATION"
"""The variable with the id of the organization, or of the team of a self-hosted server, in which the run may work."""


def main(
    server: Annotated[Kind, typer.Option(help="The server.")] = Kind.CLOUD,
    go: Annotated[bool, typer.Option("--yes", help="Start; without it, only the plan is printed.")] = False,
    only: Annotated[str, typer.Option(help="Only the objects whose name contains this.")] = "",
    sweeps: Annotated[bool, typer.Option("--sweep", help="Delete what earlier runs left, and end.")] = False,
) -> None:
    """Prove on a real account what this package believes of its servers."""
    try:
        config = ProviderConfig.model_validate(gather(lambda _: None, os.environ))
        ledger = new_ledger()
        with connected(server, config, ledger) as connection:
            check_owner(connection.account, _owner())
            failed = _run(connection, go, only, sweeps)
    except (ValidationError, ValueError, WrongAccountError) as error:
        echo(str(error), err=True)
        raise typer.Exit(2) from None
    raise typer.Exit(1 if failed else 0)


def _owner() -> str:
    owner = os.environ.get(OWNER, "")
    if not owner:
        raise WrongAccountError(f"{OWNER} is not set: set it to the id of the organization, or of the team")
    return owner


def _run(connection: Connected, go: bool, only: str, sweeps: bool) -> bool:
    """Run the command, and return whether it found problems."""
    account = connection.account
    if sweeps:
        lines = list(sweep(account.kind, account.config))
        for line in lines or ["No run has left anything."]:
            echo(line)
        return any(": not deleted" in each for each in lines)
    subjects = subjects_of(account.kind, lambda each: only in each.name)
    for line in plan.lines(account, subjects, FRONT_ENDS):
        echo(line)
    if not go:
        echo("Nothing has been made. To start, add YES=1.")
        return False
    try:
        lives = play(connection, subjects, echo)
    finally:
        left = clean_up(connection)
    for line in [*report.lines(lives), *left]:
        echo(line)
    return bool(left) or not all(each.passed for each in lives)


if __name__ == "__main__":
    typer.run(main)
