"""The commands that control a running sandbox: reset, seed, snapshots, log and faults."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clouddb_tools.commands.exit_codes import SandboxExit, end
from clouddb_tools.commands.printing import console, echo
from clouddb_tools.release import Release

from .objects import Objects, objects_of
from .requests import print_request

if TYPE_CHECKING:
    from clouddb_tools.sandbox import LoggedRequest, SandboxControl

CODES = SandboxExit.help()
"""The end of each command's help."""

FOLLOW_SECONDS = 0.3
"""Interval at which `log --follow` requests the log."""

Port = Annotated[
    int | None,
    typer.Option(min=1, max=65535, help="Port of the sandbox.", show_default="--port before the command, or 8980"),
]


@contextmanager
def _running(context: typer.Context, port: int | None) -> Iterator[SandboxControl]:
    """Yield the sandbox on a port; end the command if no sandbox responds, or if it rejects a request."""
    import httpx

    from clouddb_tools.sandbox import SandboxControl

    group: Any = context
    while group.info_name != "sandbox" and group.parent is not None:
        group = group.parent
    chosen = port or int(group.params.get("port") or 0)
    try:
        control = SandboxControl(f"http://127.0.0.1:{chosen}")
    except (httpx.HTTPError, ValueError, KeyError):
        echo(
            f"No sandbox responds on port {chosen}. Start one with `clouddb sandbox --port {chosen}`, or give --port.",
            err=True,
        )
        end(SandboxExit.FAILED)
    try:
        yield control
    except (ValueError, KeyError) as error:
        echo(f"error: {error.args[0]}", err=True)
        end(SandboxExit.FAILED)
    except httpx.HTTPError:
        echo(f"The sandbox on port {chosen} has stopped.", err=True)
        end(SandboxExit.FAILED)
    finally:
        control.close()


def reset(context: typer.Context, port: Port = None) -> None:
    """Delete all objects, faults and logged requests; credentials and snapshots stay."""
    with _running(context, port) as control:
        control.reset()
    echo("Sandbox reset. Its credentials are unchanged.")


def release(
    context: typer.Context,
    to: Annotated[Release, typer.Argument(metavar="RELEASE", help="The release, such as 2026-10.", show_default=False)],
    port: Port = None,
) -> None:
    """Upgrade or downgrade the sandbox to another release of the vendor's servers; it keeps all objects."""
    with _running(context, port) as control:
        control.set_release(to)
    echo(f"The sandbox has the release {to.value}.")


def seed(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(
            exists=True, dir_okay=False, help="JSON or YAML file with lists of objects by kind.", show_default=False
        ),
    ],
    port: Port = None,
) -> None:
    """Create the objects of a file, in file order. If one fails, none is created."""
    objects = objects_of(file)
    with _running(context, port) as control:
        create_objects(control, objects)


def create_objects(control: SandboxControl, objects: Objects) -> None:
    """Create objects, and print how many were created."""
    if not objects:
        return
    counts = control.seed(objects)
    echo(f"Created {', '.join(f'{kind}: {count}' for kind, count in counts.items())}")


snapshot = typer.Typer(
    name="snapshot", help="Save all objects under a name, and restore them.", no_args_is_help=True, epilog=CODES
)

Name = Annotated[str, typer.Argument(help="Name of the snapshot.", show_default=False)]


@snapshot.command(epilog=CODES)
def save(context: typer.Context, name: Name, port: Port = None) -> None:
    """Save all objects. The snapshot is lost when the sandbox stops."""
    with _running(context, port) as control:
        control.save_snapshot(name)
    echo(f"Saved {name}.")


@snapshot.command(epilog=CODES)
def restore(context: typer.Context, name: Name, port: Port = None) -> None:
    """Replace all objects with those of a snapshot."""
    with _running(context, port) as control:
        control.restore_snapshot(name)
    echo(f"Restored {name}.")


@snapshot.command("list", epilog=CODES)
def list_(context: typer.Context, port: Port = None) -> None:
    """List the snapshots, oldest first."""
    with _running(context, port) as control:
        for name in control.snapshots():
            echo(name)


def log(
    context: typer.Context,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for new requests until Ctrl-C.")] = False,
    since: Annotated[int, typer.Option(min=0, help="Number of the first request to show.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of requests.", show_default="all")] = None,
    operation: Annotated[str | None, typer.Option(help="Only this operation, such as create_service.")] = None,
    method: Annotated[str | None, typer.Option(help="Only this HTTP method.")] = None,
    status: Annotated[
        str | None, typer.Option(help="Only this status: 404, 4xx, or none for a reset connection.")
    ] = None,
    path: Annotated[str | None, typer.Option(help="Only paths that contain this text.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per request, with its body.")] = False,
    port: Port = None,
) -> None:
    """Show the logged requests, one line each."""
    screen = console()
    with _running(context, port) as control:

        def page(first: int) -> list[LoggedRequest]:
            return control.logged(operation, method, since=first, limit=limit, status=status, path=path)

        def show(request: LoggedRequest) -> None:
            if as_json:
                echo(json.dumps(asdict(request), ensure_ascii=False))
            else:
                print_request(screen, request)

        try:
            shown = _show(page, show, since)
            while follow:
                time.sleep(FOLLOW_SECONDS)
                if shown and not control.logged(since=shown - 1, limit=1):
                    shown = 0  # the log was cleared, and the numbers start at 0 again
                shown = _show(page, show, shown)
        except KeyboardInterrupt:
            return


def _show(page: Callable[[int], list[LoggedRequest]], show: Callable[[LoggedRequest], None], since: int) -> int:
    """Show requests up to the first one without a response, and return the number of the next one to show."""
    for request in page(since):
        if request.ms is None:
            break
        show(request)
        since = request.number + 1
    return since


def fault(
    context: typer.Context,
    operation: Annotated[
        str, typer.Argument(help="Operation such as create_service, or * for all.", show_default=False)
    ],
    kind: Annotated[str, typer.Argument(help="Kind of fault, such as lose.", show_default=False)],
    times: Annotated[
        int | None,
        typer.Option(min=1, help="Number of requests that it affects.", show_default="once; always with --seconds"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds during which it is active.", show_default="until it has affected that many requests"
        ),
    ] = None,
    after: Annotated[int, typer.Option(min=0, help="Number of requests that it skips first.")] = 0,
    wait: Annotated[float | None, typer.Option(help="Delay in seconds, for kinds with a delay.")] = None,
    status: Annotated[int | None, typer.Option(help="HTTP status, for kinds that return one.")] = None,
    text: Annotated[str | None, typer.Option(help="Error message, for kinds that return one.")] = None,
    port: Port = None,
) -> None:
    """Add a fault. docs/sandbox.md lists the kinds."""
    details = {"wait": wait, "status": status, "text": text, "after": after or None}
    chosen: dict[str, Any] = {name: value for name, value in details.items() if value is not None}
    with _running(context, port) as control:
        control.fault(operation, kind, times, seconds, **chosen)
    often = "" if times is None else f", {times} times"
    echo(f"Added fault {kind} to {'every operation' if operation == '*' else operation}{often}.")


def faults(context: typer.Context, port: Port = None) -> None:
    """List the pending faults."""
    with _running(context, port) as control:
        for each in control.faults():
            often = "every time" if each["times"] is None else f"{each['times']} times"
            echo(f"{each['operation']} {each['kind']}, {often}")


def clear(context: typer.Context, port: Port = None) -> None:
    """Remove all faults."""
    with _running(context, port) as control:
        control.clear_faults()
    echo("Removed all faults.")
