"""Writes files of a project."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from pulumi_clouddb.client.errors import ResourceError

READABLE = 0o644


def write(path: Path, text: str, *, secret: bool = False) -> None:
    """Write a file; a secret one is readable only by its owner.

    Raises:
        ResourceError: It cannot be written, or is not a regular file, such as `/dev/null`.
    """
    try:
        if path.exists() and not path.is_file():
            raise ResourceError(f"{path} is not a regular file", _ANOTHER_PATH)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(text)
            if not secret:
                os.chmod(temporary, READABLE & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise ResourceError(f"{path} cannot be written: {error.strerror}", _ANOTHER_PATH) from None


_ANOTHER_PATH = "Choose another path with --output."


def copy(source: Path, path: Path) -> None:
    """Copy a file.

    Raises:
        ResourceError: It cannot be read or written.
    """
    try:
        shutil.copyfile(source, path)
    except shutil.SameFileError:
        return
    except OSError as error:
        raise ResourceError(f"{source} cannot be copied to {path}: {error.strerror}", _ANOTHER_PATH) from None


def extended(path: Path, text: str) -> str:
    """Return the content of a file, if it exists, with the missing lines of a text appended."""
    try:
        content = path.read_text(encoding="utf-8", errors="backslashreplace")
    except FileNotFoundError:
        return text
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}", _ANOTHER_PATH) from None
    missing = [line for line in text.splitlines() if line not in content.splitlines()]
    return "\n".join([*content.splitlines(), *missing, ""])


def _umask() -> int:
    """Return the umask of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
