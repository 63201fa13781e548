"""The archive of a function's code: the same code makes the same bytes."""

from __future__ import annotations

import base64
import zipfile
from io import BytesIO

from pulumi_clouddb.schema.values import WireValues

_EXECUTABLE = 0o100755 << 16
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The oldest time that an archive can have for a file."""


def archive_of(code: WireValues) -> bytes:
    """Return the ZIP archive of the code that a program gives, by wire name: `files`, or `archive`."""
    if code.get("archive") is not None:
        return base64.b64decode(code["archive"])
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted((code.get("files") or {}).items()):
            file = zipfile.ZipInfo(name, _MOMENT)
            file.external_attr, file.compress_type = _EXECUTABLE, zipfile.ZIP_DEFLATED
            archive.writestr(file, text)
    return written.getvalue()
