"""The identity of a stack's state, the same on all machines.

The name of a stack is not sufficient: two people may each have a stack `dev` of a project, in different backends. The
engine gives the plugin the id of its provider resource, which is random and stored in state. The dynamic host gets no
such id, so it uses the backend.
"""

from __future__ import annotations

import functools
import json
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import yaml

from pulumi_clouddb.schema.config import is_loopback

PULUMI_CLOUD = ("http", "https")
FILE_BACKEND = "file"


@functools.cache
def stack_identity(organization: str | None) -> str | None:
    """Return the identity of the backend with this organization, if any; None if it is unknown."""
    address = _backend_address()
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


def _backend_address() -> str:
    """Return the address of the backend, by Pulumi's own order of precedence (pkg/workspace/creds.go)."""
    return os.environ.get("PULUMI_BACKEND_URL") or _of_project() or _of_login()


def _of_project() -> str:
    for folder in (Path.cwd(), *Path.cwd().parents):
        with suppress(OSError, yaml.YAMLError, KeyError, TypeError):
            return str(yaml.safe_load((folder / "Pulumi.yaml").read_text(encoding="utf-8"))["backend"]["url"])
    return ""


def _of_login() -> str:
    home = os.environ.get("PULUMI_CREDENTIALS_PATH") or os.environ.get("PULUMI_HOME") or Path.home() / ".pulumi"
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(json.loads((Path(home) / "credentials.json").read_text(encoding="utf-8"))["current"])
    return ""
