"""A `pulumi` on PATH that keeps the configuration of one stack: `config`, `config get/set/rm` and `version`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

STACK = "dev"

_SCRIPT = """#!{python}
import json, sys
from pathlib import Path

FILE = Path(__file__).with_name("config.json")
words = sys.argv[1:]
if words == ["version"]:
    sys.exit(print({version!r}))
if words == ["stack", "ls"]:
    sys.exit(print({stack!r}))
secret, show = "--secret" in words, "--show-secrets" in words
at = words.index("--stack")
if words[at + 1] != {stack!r}:
    sys.exit(f"error: no stack named '{{words[at + 1]}}' found")
words = [word for word in words[:at] + words[at + 2:] if not word.startswith("--")]
config = json.loads(FILE.read_text())
if words == ["config"]:
    print(json.dumps({{key: {{"value": value, "secret": False}} for key, value in config.items()}}))
elif words[1] == "get":
    print(config[words[2]])
elif words[1] == "rm":
    del config[words[2]]
    FILE.write_text(json.dumps(config))
else:
    config[words[2]] = words[3] if len(words) > 3 else sys.stdin.read().rstrip("\\n")
    FILE.write_text(json.dumps(config))
"""


def install(folder: Path, config: Mapping[str, str], version: str = "v3.260.0") -> Path:
    """Write the command into a folder, with the configuration of the stack `dev`, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(dict(config)), encoding="utf-8")
    command = folder / "pulumi"
    command.write_text(_SCRIPT.format(python=sys.executable, stack=STACK, version=version), encoding="utf-8")
    command.chmod(0o755)
    return folder
