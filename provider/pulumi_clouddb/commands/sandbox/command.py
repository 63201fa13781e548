"""`clouddb sandbox`: serve the interface on this machine; its commands drive the sandbox that runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pulumi_clouddb.commands.exit_codes import SandboxExit, end
from pulumi_clouddb.commands.printing import console, echo
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.vocabulary import VocabularyName

from . import control
from .objects import SeedFile, objects_of
from .requests import print_request

if TYPE_CHECKING:
    from rich.console import Console

    from pulumi_clouddb.sandbox import Sandbox

sandbox = typer.Typer(name="sandbox", invoke_without_command=True, epilog=control.CODES)
sandbox.command(epilog=control.CODES)(control.reset)
sandbox.command(epilog=control.CODES)(control.seed)
sandbox.add_typer(control.snapshot)
sandbox.command(epilog=control.CODES)(control.log)
sandbox.command(epilog=control.CODES)(control.fault)
sandbox.command(epilog=control.CODES)(control.faults)
sandbox.command(epilog=control.CODES)(control.clear)


@sandbox.callback()
def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on loopback; 0 takes any free one.")] = 8980,
    data: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="SQLite file that keeps objects and credentials. [default: in memory]"),
    ] = None,
    vocabulary: Annotated[VocabularyName, typer.Option(help="Words on the wire.")] = VocabularyName.NEUTRAL,
    documented_only: Annotated[
        bool, typer.Option("--documented-only", help="Offer only the operations that the interface documents.")
    ] = False,
    interface_only: Annotated[
        bool, typer.Option("--interface-only", help="Answer exactly the interface's fields: no state of services.")
    ] = False,
    rate_limit: Annotated[
        bool, typer.Option("--rate-limit", help="Hold callers to the limits that the vendor publishes.")
    ] = False,
    quantities: Annotated[
        bool, typer.Option("--quantities", help="Answer sizes of pipe replicas as 250m and 1024Mi.")
    ] = False,
    quirks: Annotated[
        bool, typer.Option(help="Reorder lists, add defaults and drop alerts as the vendor's servers do.")
    ] = True,
    organization_tier: Annotated[OrganizationTier, typer.Option(help="Tier of the organization.")] = (
        OrganizationTier.ENTERPRISE
    ),
    paid: Annotated[bool, typer.Option(help="Whether the organization pays.")] = True,
    provision_seconds: Annotated[float, typer.Option(min=0, help="How long a new service takes to run.")] = 2,
    start_seconds: Annotated[float, typer.Option(min=0, help="How long a start takes.")] = 1,
    stop_seconds: Annotated[float, typer.Option(min=0, help="How long a stop takes.")] = 1,
    delete_seconds: Annotated[float, typer.Option(min=0, help="How long a deletion takes.")] = 1,
    seed: Annotated[
        Path | None, SeedFile("Make the objects of this JSON or YAML file at the start. [default: none]")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no line per request.")] = False,
) -> None:
    """Serve the whole interface on loopback, to try programs on without a cloud.

    A line is printed for each request. The commands drive the sandbox that runs on --port.
    """
    if context.invoked_subcommand:
        _check_only_port(context)
        return
    try:
        from pulumi_clouddb.sandbox import Latency, Sandbox
    except ModuleNotFoundError as missing:
        raise typer.BadParameter(str(missing)) from None

    try:
        latency = Latency(provision_seconds, start_seconds, stop_seconds, delete_seconds)
    except ValueError as error:  # not a number, or infinite
        raise typer.BadParameter(str(error)) from None
    objects = objects_of(seed) if seed else {}
    screen = console()
    server = Sandbox(
        port=port,
        data=data,
        vocabulary=vocabulary,
        documented_only=documented_only,
        interface_only=interface_only,
        rate_limit=rate_limit,
        quantities=quantities,
        quirks=quirks,
        organization_tier=organization_tier,
        paid=paid,
        latency=latency,
        on_answer=None if quiet else lambda request: print_request(screen, request),
    )
    try:
        with server:
            control.planted(server, objects)
            welcome(screen, server)
            server.wait()
    except KeyboardInterrupt:
        echo("The sandbox has stopped.")
    except ValueError as error:
        echo(f"The objects of {seed} cannot be made: {error}", err=True)
        end(SandboxExit.FAILED)
    except OSError as error:
        echo(f"The sandbox cannot start on port {port}: {error}", err=True)
        end(SandboxExit.FAILED)


def _check_only_port(context: typer.Context) -> None:
    """Refuse options that start a sandbox before a command that drives the one that runs."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        # By its name: typer brings a click of its own, or uses the one that is installed.
        if source is not None and source.name == "COMMANDLINE" and option.name != "port":
            raise typer.BadParameter(
                f"{option.opts[0]} is for a sandbox that starts, and {context.invoked_subcommand} drives one that runs"
            )


def welcome(screen: Console, server: Sandbox) -> None:
    """Say where the sandbox is, and how to point a stack at it."""
    from rich.table import Table

    table = Table("Configuration", "Value", title=f"Sandbox on {server.url} (Ctrl-C stops it)")
    for name, value in server.config.items():
        table.add_row(name, value)
    screen.print(table)
    screen.print("To use it in the current stack:\n")
    for name, value in server.config.items():
        command = ["pulumi config set", *(["--secret"] if name in server.secret_keys else []), name, value]
        # One line each, whatever the width of the terminal: they are there to be copied.
        screen.print(f"  {' '.join(command)}", soft_wrap=True, markup=False)
    screen.print(
        f"\nFaults, log and objects: {server.url}/ in a browser, {server.url}/_sandbox/state for programs",
        soft_wrap=True,
    )
    screen.print("`clouddb sandbox --help` lists the commands that drive it.", soft_wrap=True)
