"""Rows of user-defined functions: names, their code, and archives with it."""

from __future__ import annotations

import base64
import io
import zipfile
from typing import Any

from support.rows import Row, Usual
from things.user_defined_functions.life import CODE, TWICE

FUNCTION = Usual("UserDefinedFunction", {**TWICE, "files": {"main.py": CODE}})


def archive(path: str) -> dict[str, Any]:
    """Return inputs with an archive of one file in place of files."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        opened.writestr(path, CODE)
    return {"files": None, "archive": base64.b64encode(written.getvalue()).decode()}


NO_ARCHIVE = "archive must be a ZIP archive in Base64"
CASES: list[Row] = [
    FUNCTION.rule({}, {"name": "my function"}, "name must be a letter, followed by letters, digits and underscores"),
    *(
        FUNCTION.rule(
            {}, {"files": {"main.py": CODE, path: ""}}, "files must have relative paths with `/`, without `..`"
        )
        for path in ("/main.py", "../main.py", "a\\b.py")
    ),
    FUNCTION.rule({}, {"files": {"twice.py": CODE}}, "files must have main.py, which Python runs"),
    FUNCTION.rule(archive("main.py"), archive("twice/main.py"), "archive must have main.py, which Python runs"),
    FUNCTION.rule(archive("main.py"), {"files": None, "archive": "?"}, NO_ARCHIVE),
    FUNCTION.rule(archive("main.py"), {"files": None, "archive": base64.b64encode(b"x").decode()}, NO_ARCHIVE),
    FUNCTION.rule(
        {}, {**archive("main.py"), "files": {"main.py": CODE}}, "archive must not be given together with files"
    ),
    FUNCTION.rule({}, {"archive": base64.b64encode(b"PK").decode()}, NO_ARCHIVE, "archive must not be given together"),
    FUNCTION.rule(
        {"type": "executable_pool", "poolSize": 2}, {"poolSize": 2}, "poolSize is for type `executable_pool`"
    ),
]
