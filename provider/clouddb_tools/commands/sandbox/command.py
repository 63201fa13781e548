"""`clouddb sandbox`: start a sandbox on this machine. Its subcommands control a running sandbox."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clouddb_tools.commands.exit_codes import SandboxExit, end
from clouddb_tools.commands.printing import console, echo
from clouddb_tools.release import NEWEST, Release
from pulumi_clouddb.schema.organization import OrganizationTier
from pulumi_clouddb.schema.vocabulary import VocabularyName

from . import control
from .objects import objects_of
from .requests import print_request

if TYPE_CHECKING:
    from rich.console import Console

    from clouddb_tools.sandbox import LoggedRequest, Sandbox

sandbox = typer.Typer(name="sandbox", invoke_without_command=True, epilog=control.CODES)
sandbox.command(epilog=control.CODES)(control.reset)
sandbox.command(epilog=control.CODES)(control.seed)
sandbox.command(epilog=control.CODES)(control.release)
sandbox.add_typer(control.snapshot)
sandbox.command(epilog=control.CODES)(control.log)
sandbox.command(epilog=control.CODES)(control.fault)
sandbox.command(epilog=control.CODES)(control.faults)
sandbox.command(epilog=control.CODES)(control.clear)


@sandbox.callback()
def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on loopback; 0 chooses a free one.")] = 8980,
    data: Annotated[
        Path | None,
        typer.Option(dir_okay=False, help="SQLite file that stores objects and credentials.", show_default="in memory"),
    ] = None,
    vocabulary: Annotated[VocabularyName, typer.Option(help="Dialect of the API.")] = VocabularyName.CLICKHOUSE,
    release: Annotated[Release, typer.Option(help="Release of the vendor's servers whose responses it has.")] = NEWEST,
    documented_only: Annotated[
        bool, typer.Option("--documented-only", help="Offer only the operations that the interface documents.")
    ] = False,
    interface_only: Annotated[
        bool,
        typer.Option(
            "--interface-only", help="Return only the fields that the interface documents; services then have no state."
        ),
    ] = False,
    rate_limit: Annotated[
        bool, typer.Option("--rate-limit", help="Enforce the rate limits that the vendor publishes.")
    ] = False,
    quantities: Annotated[
        bool, typer.Option("--quantities", help="Return sizes of pipe replicas as 250m and 1024Mi.")
    ] = False,
    versions: Annotated[
        bool, typer.Option("--versions", help="Return ETags of dashboards, and compare If-Match in their updates.")
    ] = False,
    quirks: Annotated[
        bool, typer.Option(help="Reorder lists, add defaults and delete alerts as the vendor's servers do.")
    ] = True,
    organization_tier: Annotated[OrganizationTier, typer.Option(help="Tier of the organization.")] = (
        OrganizationTier.ENTERPRISE
    ),
    paid: Annotated[bool, typer.Option(help="Whether the organization has a paid plan.")] = True,
    provision_seconds: Annotated[float, typer.Option(min=0, help="Seconds until a new service runs.")] = 2,
    start_seconds: Annotated[float, typer.Option(min=0, help="Seconds until a started service runs.")] = 1,
    stop_seconds: Annotated[float, typer.Option(min=0, help="Seconds until a service has stopped.")] = 1,
    delete_seconds: Annotated[float, typer.Option(min=0, help="Seconds until a service is deleted.")] = 1,
    seed: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Create the objects of this JSON or YAML file at the start.",
            show_default="none",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print a line for each request.")] = False,
) -> None:
    """Start a local server with the whole API, to try out programs without a cloud account.

    It prints a line for each request. The commands control the sandbox that runs on --port.
    """
    if context.invoked_subcommand:
        _reject_options(context)
        return
    try:
        from clouddb_tools.sandbox import Latency, Sandbox
    except ModuleNotFoundError as missing:
        raise typer.BadParameter(str(missing)) from None

    try:
        latency = Latency(provision_seconds, start_seconds, stop_seconds, delete_seconds)
    except ValueError as error:  # NaN or infinite
        raise typer.BadParameter(str(error)) from None
    objects = objects_of(seed) if seed else {}
    screen = console()

    def show(request: LoggedRequest) -> None:
        with suppress(OSError, SystemExit):  # no request fails if the reader of the log has ended, or the disk is full
            print_request(screen, request)

    server = Sandbox(
        port=port,
        data=data,
        vocabulary=vocabulary,
        release=release,
        documented_only=documented_only,
        interface_only=interface_only,
        rate_limit=rate_limit,
        quantities=quantities,
        versions=versions,
        quirks=quirks,
        organization_tier=organization_tier,
        paid=paid,
        latency=latency,
        on_answer=None if quiet else show,
    )
    try:
        with server:
            control.create_objects(server, objects)
            _print_welcome(screen, server)
            server.wait()
    except KeyboardInterrupt:
        echo("The sandbox has stopped.")
    except ValueError as error:
        echo(f"The objects of {seed} cannot be created: {error}", err=True)
        end(SandboxExit.FAILED)
    except OSError as error:
        echo(f"The sandbox cannot start on port {port}: {error}", err=True)
        end(SandboxExit.FAILED)


def _reject_options(context: typer.Context) -> None:
    """Reject every option but --port before a subcommand, which controls a running sandbox."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        # Compared by name: depending on its version, typer contains click or depends on it, and the enums differ.
        if source is not None and source.name == "COMMANDLINE" and option.name != "port":
            raise typer.BadParameter(
                f"{option.opts[0]} applies to a new sandbox, but {context.invoked_subcommand} controls a running one"
            )


def _print_welcome(screen: Console, server: Sandbox) -> None:
    """Print the address of the sandbox, and how to configure a stack for it."""
    from rich.table import Table

    table = Table("Configuration", "Value", title=f"Sandbox on {server.url} (Ctrl-C stops it)")
    for name, value in server.config.items():
        table.add_row(name, value)
    screen.print(table)
    screen.print("To use it with the current stack:\n")
    for name, value in server.config.items():
        command = ["pulumi config set", *(["--secret"] if name in server.secret_keys else []), name, value]
        # Not wrapped, so that users can copy each command.
        screen.print(f"  {' '.join(command)}", soft_wrap=True, markup=False)
    screen.print(
        f"\nFaults, log and objects: {server.url}/ in a browser, {server.url}/_sandbox/state for programs",
        soft_wrap=True,
    )
    screen.print("`clouddb sandbox --help` lists the commands that control it.", soft_wrap=True)
