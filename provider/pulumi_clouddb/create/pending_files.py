"""The files of pending creates: on this machine, or in a bucket that all machines of a stack share.

Programs load this module, too: it imports the standard library, and what imports nothing else.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any

from pulumi_clouddb.schema.values import digest

FOLDER_VARIABLE = "CLOUDDB_JOURNAL"

ATTEMPTS, ATTEMPT_SECONDS = 100 if sys.platform == "win32" else 1, 0.02
"""How often a file is replaced: Windows refuses while another process reads it."""


def default_folder() -> Path:
    """Return the folder of pending creates: `CLOUDDB_JOURNAL`, or the usual one of this machine.

    Raises:
        OSError: It is in a bucket (`s3://…`), and a library for that kind is not installed.
    """
    given = os.environ.get(FOLDER_VARIABLE)
    return folder_at(given) if given else usual_folder()


def usual_folder() -> Path:
    """Return the usual folder of this machine."""
    home = os.environ.get("PULUMI_HOME")
    return (Path(home) if home else Path.home() / ".pulumi") / "clouddb" / "pending-creates"


def folder_at(given: str) -> Path:
    """Return a folder of this machine, or one in a bucket, which has the methods of a path as well.

    Raises:
        OSError: A library for that kind of bucket is not installed.
    """
    with storage_errors():
        if "://" not in given:
            return Path(given).expanduser()  # no shell has done it if the variable is from a file, as in a workflow
        from upath import UPath

        # Another machine writes what a cached listing would hide.
        bucket: Any = UPath(given, use_listings_cache=False)
        bucket.fs  # noqa: B018 (imports the library for this kind of bucket)
    folder: Path = bucket
    return folder


def is_here(folder: PurePath) -> bool:
    """Return whether a folder is on this machine. Paths of buckets have another base class."""
    return isinstance(folder, PurePath)


@contextmanager
def storage_errors() -> Iterator[None]:
    """Raise every error of a library for buckets as OSError, as the standard library does for files."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 (each library has errors of its own)
        raise OSError(str(error).partition("\n")[0]) from None


def reason(error: OSError) -> str:
    """Return why a file cannot be used."""
    return error.strerror or str(error)


def backend() -> str:
    """Return the address of Pulumi's backend: two backends may have stacks with the same name.

    The order of precedence is Pulumi's own (pkg/workspace/creds.go).
    """
    return os.environ.get("PULUMI_BACKEND_URL") or _of_project() or _of_login()


def _of_project() -> str:
    for folder in (Path.cwd(), *Path.cwd().parents):
        with suppress(OSError, ValueError):
            text = (folder / "Pulumi.yaml").read_text(encoding="utf-8")
            if "backend" in text and (url := _backend_in(text)):  # most have none, and need no parser
                return url
    return ""


def _backend_in(project: str) -> str:
    import yaml

    with suppress(ValueError, yaml.YAMLError, KeyError, TypeError):
        return str(yaml.safe_load(project)["backend"]["url"])
    return ""


def _of_login() -> str:
    home = os.environ.get("PULUMI_CREDENTIALS_PATH") or os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi"
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads((Path(home) / "credentials.json").read_text(encoding="utf-8"))["current"])
    return ""


def state_is_written_late() -> bool:
    """Return whether the engine writes state only at its end, so that a finished create may not be in state."""
    return os.environ.get("PULUMI_SKIP_CHECKPOINTS", "").lower() in ("1", "true")


def file_name(scope: str, urn: str, account: str) -> str:
    """Return the name of the record for one resource of one stack, under one account."""
    return f"{digest(scope, urn)}-{digest(account)[:8]}.json"


def for_owner(path: str, flags: int) -> int:
    """Open a file that only its owner can read, for `open`."""
    return os.open(path, flags, 0o600)


def read_whole(path: Path, most: int) -> bytes | None:
    """Return a file, or its first `most` bytes; None without one.

    Raises:
        OSError: It cannot be read.
    """
    try:
        with storage_errors(), path.open("rb") as file:
            return file.read(most)
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_whole(path: Path, text: str) -> None:
    """Write a file whole, or not at all; on this machine only its owner can read it.

    Raises:
        OSError: It cannot be written.
    """
    if not is_here(path):
        with storage_errors():
            path.write_text(text, encoding="utf-8")  # buckets write whole files by themselves
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_suffix(".new")
    with open(new, "w", encoding="utf-8", opener=for_owner) as opened:
        opened.write(text)
        opened.flush()
        os.fsync(opened.fileno())
    _replace(new, path)


def _replace(new: Path, path: Path) -> None:
    for _ in range(ATTEMPTS - 1):
        with suppress(PermissionError):
            new.replace(path)
            return
        time.sleep(ATTEMPT_SECONDS)
    new.replace(path)
