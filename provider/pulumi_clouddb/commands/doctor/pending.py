"""Checks the pending creates of this machine: what interrupted runs have left, and whether it can be found again."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.client.exchange import Exchange
from pulumi_clouddb.client.runtime import Runtime
from pulumi_clouddb.create.pending import PendingCreate, PendingCreates
from pulumi_clouddb.create.pending_files import (
    FOLDER_VARIABLE,
    default_folder,
    file_name,
    is_here,
    reason,
    storage_errors,
)
from pulumi_clouddb.create.session import account_of
from pulumi_clouddb.engine.wire import urns

from .finding import Finding, error, note, ok, warning
from .servers import Management
from .situation import Situation


def check_pending(situation: Situation) -> Iterator[Finding]:
    """Yield what is pending, and what is wrong with the folder or with a record."""
    given = situation.environment.get(FOLDER_VARIABLE)
    try:
        folder = default_folder()
        unusable = _unusable(folder)
    except OSError as problem:
        folder, unusable = Path(given or ""), reason(problem)
    if unusable:
        text = f"pending creates cannot be kept in {folder}: {unusable}"
        fix = "Take the usual folder, or set one that can be written to:" if given else "Set another folder:"
        command = f"unset {FOLDER_VARIABLE}" if given else f"export {FOLDER_VARIABLE}=YOUR_FOLDER"
        yield error("pending-folder", text, fix, command)
        return
    pending = PendingCreates(folder, Runtime(), warn=lambda _: None)
    rest = "; other machines keep records of their own" if is_here(folder) else ", by any machine that shares it"
    found = [finding for path, record in pending.stored() for finding in _of(situation, pending, path, record)]
    yield from found
    if not found:
        yield ok("pending", f"no create is pending in {folder}{rest}")


def _unusable(folder: Path) -> str:
    """Return why the folder, or the one that it would be made in, cannot be written to; nothing if it can.

    Raises:
        OSError: A bucket cannot be listed.
    """
    if not is_here(folder):
        with storage_errors():
            list(folder.glob("*.json"))
        return ""
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not there.is_dir():
        return f"{there} is no folder"
    return "" if os.access(there, os.W_OK | os.X_OK) else f"{there} is not writable"


def _of(
    situation: Situation, pending: PendingCreates, path: Path, record: PendingCreate | ResourceError
) -> Iterator[Finding]:
    remove = _removal(path)
    if isinstance(record, ResourceError):
        look = "Look on the server for what it may have made, and import or delete that; then remove the record:"
        yield error("pending-unreadable", str(record).partition("\n")[0], look, remove)
        return
    stack, name = _stack_of(record.urn), record.what or record.urn
    text = f"the create of {name} (stack {stack}, {_when(record)}) is pending"
    if pending.is_busy(path):
        yield note("pending-busy", f"{text}, and another process on this machine is busy with it")
    elif _digest_of(path.name) != _digest_of(file_name("", "", account_of(situation.config))):
        yield note("pending-elsewhere", f"{text}, of other settings than these ({path})")
    elif record.id is not None and _is_gone(situation, record.urn, record.id):
        text = f"{text}, and the server does not list its object {record.id} any more ({path})"
        yield warning("pending-gone", text, "If it was deleted on purpose, remove the record:", remove)
    else:
        made = f"it made {record.id}" if record.id else "it may have made an object"
        text = f"{text}: {made}, and no later run has seen that in state"
        fix = (
            "Run the program of this stack on a machine with this folder, which finds the object if state lacks the "
            "resource. If this warning stays, another machine has created the resource since: delete "
            f"{record.id or 'its object'} unless a stack holds it, and remove {path}. First run:"
        )
        yield warning("pending", text, fix, f"pulumi up --stack {shlex.quote(stack)}")


def _removal(path: Path) -> str:
    """Return the command that removes a file, here or in a bucket."""
    if is_here(path):
        return f"rm {shlex.quote(str(path))}"
    return shlex.join(["python", "-c", f"from upath import UPath; UPath({str(path)!r}).unlink()"])


def _when(record: PendingCreate) -> str:
    if record.started is None:
        return "not sent"
    return f"sent {datetime.fromtimestamp(record.started, timezone.utc):%Y-%m-%d %H:%M} UTC"


def _stack_of(urn: str) -> str:
    return urn.removeprefix("urn:pulumi:").partition("::")[0]


def _digest_of(name: str) -> str:
    """Return the part of a record's file name that says in which account it creates."""
    return name.rpartition("-")[2]


def _is_gone(situation: Situation, urn: str, object_id: str) -> bool:
    """Return whether a list that was read to its end lacks the object; False where no such list is read here."""
    kind = urns.plain_type(urn).rpartition(":")[2]
    for server in situation.servers:
        if isinstance(server, Management):
            lists: dict[str, Exchange] = {"Service": server.services, "ApiKey": server.keys}
            if kind in lists and lists[kind].result is not None:
                return all(each.get("id") != object_id for each in lists[kind].result)
    return False
