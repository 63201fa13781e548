"""Stands in for GitHub's `gh` in tests: keeps what it is given in the folder `GH_STORE`, and asks nobody.

It knows the commands of examples/gitops and fails on any other. What `--jq` asks for is answered, not computed.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

STORE = Path(os.environ["GH_STORE"])
RUN = "1001"


def option(words: list[str], name: str) -> str:
    """Return the value of an option."""
    return words[words.index(name) + 1]


def main(words: list[str]) -> None:
    """Do what a command would do, in the store."""
    with (STORE / "calls.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(words) + "\n")
    issue = STORE / "issue.md"
    match words[:2]:
        case ["api", path]:
            (name,) = parse_qs(urlsplit(path).query)["name"]
            print(RUN if (STORE / "artifacts" / name).is_dir() else "")
        case ["run", "download"]:
            shutil.copytree(STORE / "artifacts" / option(words, "--name"), option(words, "--dir"), dirs_exist_ok=True)
        case ["pr", "comment"]:
            shutil.copy(option(words, "--body-file"), STORE / "comment.md")
        case ["label", "create"]:
            pass
        case ["issue", "list"]:
            print("12" if issue.exists() else "")
        case ["issue", "create" | "edit"]:
            shutil.copy(option(words, "--body-file"), issue)
        case ["issue", "close"]:
            issue.unlink()
        case _:
            sys.exit(f"the fake gh does not know: {words}")


main(sys.argv[1:])
