"""A fake `pulumi` for PATH that stores the configuration of one stack: `config`, `config get/set/rm`, `version`.

`stack export` prints the file `state.json` beside it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

from pulumi_clouddb.schema.config import CREDENTIALS

STACK = "dev"

_COMMAND = """#!/bin/sh
if [ "$*" = version ]; then echo {version}; else exec {python} {script} "$@"; fi
"""
"""Every `clouddb doctor` asks for the version, so that command starts no Python."""

_SCRIPT = """import json, sys
from pathlib import Path

FILE = Path(__file__).with_name("config.json")
words = sys.argv[1:]
if words == ["stack", "ls"]:
    sys.exit(print({stack!r}))
secret, show = "--secret" in words, "--show-secrets" in words
at = words.index("--stack")
if words[at + 1] != {stack!r}:
    sys.exit(f"error: no stack named '{{words[at + 1]}}' found")
words = [word for word in words[:at] + words[at + 2:] if not word.startswith("--")]
config = json.loads(FILE.read_text())
if words == ["config"]:
    print(json.dumps(config))
elif words == ["stack", "export"]:
    print(FILE.with_name("state.json").read_text())
elif words[1] == "get":
    print(config[words[2]]["value"])
elif words[1] == "rm":
    del config[words[2]]
    FILE.write_text(json.dumps(config))
else:
    value = words[3] if len(words) > 3 else sys.stdin.read().rstrip("\\n")
    config[words[2]] = {{"value": value, "secret": secret}}
    FILE.write_text(json.dumps(config))
"""


def install(
    folder: Path, config: Mapping[str, str], version: str = "v3.260.0", encrypted: Collection[str] = CREDENTIALS
) -> Path:
    """Write the command into a folder, with the configuration of the stack `dev`, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = {key: {"value": value, "secret": key in encrypted} for key, value in config.items()}
    (folder / "config.json").write_text(json.dumps(entries), encoding="utf-8")
    script = folder / "pulumi.py"
    script.write_text(_SCRIPT.format(stack=STACK), encoding="utf-8")
    command = folder / "pulumi"
    command.write_text(_COMMAND.format(python=sys.executable, script=script, version=version), encoding="utf-8")
    command.chmod(0o755)
    return folder
