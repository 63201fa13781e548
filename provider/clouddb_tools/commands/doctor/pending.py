"""Checks the pending creates of this machine: records of interrupted runs, and whether a later run can use them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path

from pulumi_clouddb.client.diagnosis import Exchange
from pulumi_clouddb.client.errors import ResourceError, first_line
from pulumi_clouddb.client.operation import ServerKind
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
    """Yield the pending creates, and the faults of the folder or of a record."""
    given = situation.environment.get(FOLDER_VARIABLE)
    try:
        folder = default_folder()
        unusable = _unusable(folder)
    except OSError as problem:
        folder, unusable = Path(given or ""), reason(problem)
    if unusable:
        text = f"pending creates cannot be recorded in {folder}: {unusable}"
        fix = "Use the default folder, or set a writable one:" if given else "Set another folder:"
        command = f"unset {FOLDER_VARIABLE}" if given else f"export {FOLDER_VARIABLE}=YOUR_FOLDER"
        yield error("pending-folder", text, fix, command)
        return
    pending = PendingCreates(folder, Runtime(), warn=lambda _: None)
    findings = [finding for path, record in pending.records() for finding in _check(situation, pending, path, record)]
    yield from findings
    if not findings:
        scope = "; other machines have their own records" if is_here(folder) else ", by any machine that shares it"
        yield ok("pending", f"no create is pending in {folder}{scope}")


def _unusable(folder: Path) -> str:
    """Return why the folder, or its nearest existing parent, is not writable; an empty text if it is.

    Raises:
        OSError: A bucket cannot be listed.
    """
    if not is_here(folder):
        with storage_errors():
            list(folder.glob("*.json"))
        return ""
    existing = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
    if not existing.is_dir():
        return f"{existing} is not a folder"
    return "" if os.access(existing, os.W_OK | os.X_OK) else f"{existing} is not writable"


def _check(
    situation: Situation, pending: PendingCreates, path: Path, record: PendingCreate | ResourceError
) -> Iterator[Finding]:
    remove = _removal(path)
    if isinstance(record, ResourceError):
        fix = "Search the server for the object it may have created, and import or delete it; then remove the record:"
        yield error("pending-unreadable", first_line(record), fix, remove)
        return
    stack, name = _stack_of(record.urn), record.what or record.urn
    text = f"the create of {name} (stack {stack}, {_when(record)}) is pending"
    if pending.is_busy(path):
        yield note("pending-busy", f"{text}, and another process on this machine is working on it")
    elif _account_digest(path.name) not in _account_digests(situation):
        yield note("pending-elsewhere", f"{text}, with other settings than these ({path})")
    elif record.id is not None and _is_gone(situation, record.urn, record.id):
        text = f"{text}, and the server no longer lists its object {record.id} ({path})"
        yield warning("pending-gone", text, "If it was deleted on purpose, remove the record:", remove)
    else:
        result = f"it created {record.id}" if record.id else "it may have created an object"
        text = f"{text}: {result}, and no later run has found it in state"
        fix = (
            "Run the program of this stack on a machine with this folder; the run finds the object if state lacks the "
            "resource. If this warning remains, another machine has created the resource since, or it has another name "
            f"now: delete {record.id or 'its object'} unless a stack contains it, and remove {path}. First run:"
        )
        yield warning("pending", text, fix, f"pulumi up --stack {shlex.quote(stack)}")


def _removal(path: Path) -> str:
    """Return the command that removes a file, on disk or in a bucket."""
    if is_here(path):
        return f"rm {shlex.quote(str(path))}"
    return shlex.join(["python", "-c", f"from upath import UPath; UPath({str(path)!r}).unlink()"])


def _when(record: PendingCreate) -> str:
    if record.started is None:
        return "not sent"
    return f"sent {datetime.fromtimestamp(record.started, timezone.utc):%Y-%m-%d %H:%M} UTC"


def _stack_of(urn: str) -> str:
    return urn.removeprefix("urn:pulumi:").partition("::")[0]


def _account_digest(name: str) -> str:
    """Return the part of a record's file name that identifies the account."""
    return name.rpartition("-")[2]


def _account_digests(situation: Situation) -> set[str]:
    """Return those of the configuration; without an organization, also with that of the key."""
    found = [each.found_organization for each in situation.servers if isinstance(each, Management)]
    accounts = {account_of(situation.config, kind, each) for kind in ServerKind for each in (None, *found)}
    return {_account_digest(file_name("", "", account)) for account in accounts}


def _is_gone(situation: Situation, urn: str, object_id: str) -> bool:
    """Return whether the list of its kind lacks the object; False if no such list was read."""
    kind = urns.plain_type(urn).rpartition(":")[2]
    for server in situation.servers:
        if isinstance(server, Management) and kind in _LISTS:
            listed = _LISTS[kind](server).result
            if listed is not None:
                return all(each.get("id") != object_id for each in listed)
    return False


_LISTS: dict[str, Callable[[Management], Exchange]] = {
    "Service": lambda server: server.services,
    "ApiKey": lambda server: server.keys,
    "PostgresService": lambda server: server.postgres_services,
}
"""The lists that show whether an object is gone, by kind."""
