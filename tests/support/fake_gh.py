"""A fake of GitHub's `gh`: it stores comments and issues in the folder `GH_STORE`, and sends no requests.

It implements the commands of examples/gitops and fails on any other. It prints the result of `--jq` without evaluating
the expression.
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


def texts(kind: str) -> dict[str, str]:
    """Return the comments by id, or the issues by title."""
    file = STORE / f"{kind}.json"
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def keep(kind: str, key: str, text: str | None) -> None:
    """Add, change or remove a comment or an issue."""
    changed = {**texts(kind), key: text}
    remaining = {each: text for each, text in changed.items() if text is not None}
    (STORE / f"{kind}.json").write_text(json.dumps(remaining), encoding="utf-8")


def body(words: list[str]) -> str:
    """Return the content of the file in `--body-file`."""
    return Path(option(words, "--body-file")).read_text(encoding="utf-8")


def main(words: list[str]) -> None:
    """Run a command on the store."""
    with (STORE / "calls.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(words) + "\n")
    comments, issues = texts("comments"), texts("issues")
    match words[:2]:
        case ["api", "--paginate"]:
            print(next((each for each, text in comments.items() if text.startswith(os.environ["MARK"])), ""))
        case ["api", "--method"]:
            (path,) = (word for word in words if word.startswith("repos/"))
            file = option(words, "--field").removeprefix("body=@")
            keep("comments", path.rpartition("/")[2], Path(file).read_text(encoding="utf-8"))
        case ["api", path]:
            (name,) = parse_qs(urlsplit(path).query)["name"]
            print(RUN if (STORE / "artifacts" / name).is_dir() else "")
        case ["run", "download"]:
            shutil.copytree(STORE / "artifacts" / option(words, "--name"), option(words, "--dir"), dirs_exist_ok=True)
        case ["run", "list"]:
            print(RUN if option(words, "--commit") in texts("runs") else "")
        case ["run", "view"]:
            print(texts("jobs").get(os.environ["JOB"], ""))
        case ["pr", "comment"]:
            keep("comments", str(len(comments) + 1), body(words))
        case ["label", "create"]:
            pass
        case ["issue", "list"]:
            print(next((number for number, title in enumerate(issues, 1) if title == os.environ["TITLE"]), ""))
        case ["issue", "create"]:
            keep("issues", option(words, "--title"), body(words))
        case ["issue", "edit"]:
            keep("issues", list(issues)[int(words[2]) - 1], body(words))
        case ["issue", "close"]:
            keep("issues", list(issues)[int(words[2]) - 1], None)
        case _:
            sys.exit(f"the fake gh does not know: {words}")


if __name__ == "__main__":
    main(sys.argv[1:])
