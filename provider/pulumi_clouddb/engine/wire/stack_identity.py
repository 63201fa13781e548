"""The identity of a stack's state, the same on all machines.

The name of a stack is not sufficient: two people may each have a stack `dev` of a project, in different backends. The
engine gives the plugin the id of its provider resource, which is random and stored in state. The dynamic host gets no
such id, so it uses the backend.
"""

from __future__ import annotations

import functools
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from pulumi_clouddb.create.pending_files import backend
from pulumi_clouddb.schema.config import is_loopback

PULUMI_CLOUD = ("http", "https")
FILE_BACKEND = "file"


@functools.cache
def stack_identity(organization: str | None) -> str | None:
    """Return the identity of the backend with this organization, if any; None if it is unknown."""
    address = backend()
    parts = urlsplit(address)
    if not address or is_loopback(parts.hostname or ""):
        return None
    if parts.scheme == FILE_BACKEND:
        return _of_files(Path(url2pathname(parts.netloc + parts.path)).expanduser())
    if parts.scheme in PULUMI_CLOUD:
        return f"{parts.hostname}/{organization}" if organization else None
    return address.replace(f"{parts.netloc.rpartition('@')[0]}@", "")


def _of_files(folder: Path) -> str | None:
    """Return the identity of a backend in a folder, whose path may differ between machines.

    Pulumi writes this file once, when it first uses the folder (pkg/backend/diy/meta.go, ensurePulumiMeta). Fractions
    of seconds are dropped, since archives do not store them.
    """
    try:
        return f"{FILE_BACKEND} {int((folder / '.pulumi' / 'meta.yaml').stat().st_mtime)}"
    except OSError:
        return None
