"""Writes files: each as a whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pulumi_clouddb.client.errors import ResourceError

READABLE = 0o644


def write(path: Path, text: str, *, secret: bool = False) -> None:
    """Write a file, readable by its owner only where it is secret.

    Raises:
        ResourceError: It cannot be written.
    """
    try:
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            if not secret:
                os.chmod(made, READABLE & ~_umask())
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
    except OSError as error:
        raise ResourceError(
            f"{path} cannot be written: {error.strerror}", "Name another place with --output."
        ) from None


def extended(path: Path, text: str) -> str:
    """Return the text of a file, if it exists, with the lines of another text that it lacks at its end."""
    try:
        there = path.read_text(encoding="utf-8", errors="backslashreplace")
    except FileNotFoundError:
        return text
    except OSError as error:
        raise ResourceError(f"{path} cannot be read: {error.strerror}", "Name another place with --output.") from None
    missing = [line for line in text.splitlines() if line not in there.splitlines()]
    return "\n".join([*there.splitlines(), *missing, ""])


def _umask() -> int:
    """Return the mask of new files; the only way to ask for it is to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
