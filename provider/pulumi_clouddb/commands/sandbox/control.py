"""The commands that drive a sandbox that runs: reset, seed, snapshots, log and faults."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulumi_clouddb.commands.exit_codes import SandboxExit, end
from pulumi_clouddb.commands.printing import console, echo

from .objects import Objects, objects_of
from .requests import print_request

if TYPE_CHECKING:
    from pulumi_clouddb.sandbox import LoggedRequest, SandboxControl

CODES = SandboxExit.help()
"""What the help of each of these commands says below."""

FOLLOW_SECONDS = 0.3
"""Between two looks at the log."""

Port = Annotated[
    int | None, typer.Option(min=1, max=65535, help="Port of the sandbox. [default: that before the command, 8980]")
]


@contextmanager
def _running(context: typer.Context, port: int | None) -> Iterator[SandboxControl]:
    """Yield the sandbox that runs on a port; end with a line where there is none, or where it refuses."""
    import httpx

    from pulumi_clouddb.sandbox import SandboxControl

    group = context.find_root() if context.parent is None else _group_of(context)
    chosen = port or int(group.params.get("port") or 0)
    try:
        control = SandboxControl(f"http://127.0.0.1:{chosen}")
    except (httpx.HTTPError, ValueError, KeyError):
        echo(
            f"No sandbox answers on port {chosen}. Start one with `clouddb sandbox --port {chosen}`, or give --port.",
            err=True,
        )
        end(SandboxExit.FAILED)
    try:
        yield control
    except (ValueError, KeyError) as refused:
        echo(f"error: {refused.args[0]}", err=True)
        end(SandboxExit.FAILED)
    except httpx.HTTPError:
        echo(f"The sandbox on port {chosen} has stopped.", err=True)
        end(SandboxExit.FAILED)
    finally:
        control.close()


def _group_of(context: typer.Context) -> Any:
    """Return the context of `clouddb sandbox`, in which its own --port is."""
    found: Any = context
    while found.info_name != "sandbox" and found.parent is not None:
        found = found.parent
    return found


def reset(context: typer.Context, port: Port = None) -> None:
    """Make the sandbox new again: objects, faults and requests are forgotten; credentials and snapshots stay."""
    with _running(context, port) as control:
        control.reset()
    echo("Sandbox reset. Its credentials are the same.")


def seed(
    context: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, help="JSON or YAML: lists of objects by kind.", show_default=False),
    ],
    port: Port = None,
) -> None:
    """Make the objects of a file, all of them or none."""
    objects = objects_of(file)
    with _running(context, port) as control:
        planted(control, objects)


def planted(control: SandboxControl, objects: Objects) -> None:
    """Make objects, and say how many."""
    if not objects:
        return
    counts = control.seed(objects)
    echo(f"Made {', '.join(f'{kind}: {count}' for kind, count in counts.items())}")


snapshot = typer.Typer(
    name="snapshot", help="Keep all objects under a name, and go back to them.", no_args_is_help=True, epilog=CODES
)

Name = Annotated[str, typer.Argument(help="Name of the snapshot.", show_default=False)]


@snapshot.command(epilog=CODES)
def save(context: typer.Context, name: Name, port: Port = None) -> None:
    """Keep all objects as they are, as long as the sandbox runs."""
    with _running(context, port) as control:
        control.save_snapshot(name)
    echo(f"Saved {name}.")


@snapshot.command(epilog=CODES)
def restore(context: typer.Context, name: Name, port: Port = None) -> None:
    """Make all objects those of a snapshot."""
    with _running(context, port) as control:
        control.restore_snapshot(name)
    echo(f"Restored {name}.")


@snapshot.command("list", epilog=CODES)
def list_(context: typer.Context, port: Port = None) -> None:
    """List the snapshots, the oldest first."""
    with _running(context, port) as control:
        for name in control.snapshots():
            echo(name)


def log(
    context: typer.Context,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with new requests until Ctrl-C.")] = False,
    since: Annotated[int, typer.Option(min=0, help="Number of the first request to look at.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="How many requests at most. [default: all]")] = None,
    operation: Annotated[str | None, typer.Option(help="Only this operation, such as create_service.")] = None,
    method: Annotated[str | None, typer.Option(help="Only this HTTP method.")] = None,
    status: Annotated[str | None, typer.Option(help="Only this status: 404, 4xx, or none for a reset.")] = None,
    path: Annotated[str | None, typer.Option(help="Only paths that hold this text.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A line of JSON per request, with its body.")] = False,
    port: Port = None,
) -> None:
    """Show the requests, a line each."""
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
                    shown = 0  # the log was emptied, and its numbers begin again
                shown = _show(page, show, shown)
        except KeyboardInterrupt:
            return


def _show(page: Callable[[int], list[LoggedRequest]], show: Callable[[LoggedRequest], None], since: int) -> int:
    """Show a page up to the first request that is not answered yet, and return the number to go on with."""
    for request in page(since):
        if request.ms is None:
            break
        show(request)
        since = request.number + 1
    return since


def fault(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(help="Operation such as create_service, or *.", show_default=False)],
    kind: Annotated[str, typer.Argument(help="What goes wrong, such as lose.", show_default=False)],
    times: Annotated[int | None, typer.Option(min=1, help="How often. [default: once; always with --seconds]")] = None,
    seconds: Annotated[float | None, typer.Option(help="For how long. [default: until it has happened]")] = None,
    after: Annotated[int, typer.Option(min=0, help="How many requests pass before it happens.")] = 0,
    wait: Annotated[float | None, typer.Option(help="Seconds to wait, for the kinds that do.")] = None,
    status: Annotated[int | None, typer.Option(help="HTTP status, for the kinds that send one.")] = None,
    text: Annotated[str | None, typer.Option(help="Text of the error, for the kinds that send one.")] = None,
    port: Port = None,
) -> None:
    """Let something go wrong. docs/sandbox.md lists the kinds."""
    details = {"wait": wait, "status": status, "text": text, "after": after or None}
    given: dict[str, Any] = {name: value for name, value in details.items() if value is not None}
    with _running(context, port) as control:
        control.fault(operation, kind, times, seconds, **given)
    often = "" if times is None else f", {times} times"
    echo(f"{kind} will happen to {'every operation' if operation == '*' else operation}{often}.")


def faults(context: typer.Context, port: Port = None) -> None:
    """List the faults that have not happened yet."""
    with _running(context, port) as control:
        for each in control.faults():
            often = "as often as asked" if each["times"] is None else f"{each['times']} times"
            echo(f"{each['operation']} {each['kind']}, {often}")


def clear(context: typer.Context, port: Port = None) -> None:
    """Let nothing go wrong any more."""
    with _running(context, port) as control:
        control.clear_faults()
    echo("Nothing goes wrong any more.")
