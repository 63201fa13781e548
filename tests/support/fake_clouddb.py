"""A fake `clouddb ci` for tests of workflow files: it only reads and writes the files of its options.

A stack has drifted if the project's folder contains `STACK.drifted`.
"""

from __future__ import annotations

import sys
from pathlib import Path


def option(words: list[str], name: str) -> str:
    """Return the value of an option, or an empty text."""
    return words[words.index(name) + 1] if name in words else ""


def main(words: list[str]) -> int:
    """Read and write the files of a command, and return its exit code."""
    _, command, *rest = words
    if not Path("Pulumi.yaml").is_file():
        sys.exit("no project")
    if (pack := option(rest, "--policy-pack")) and not (Path(pack) / "PulumiPolicy.yaml").is_file():
        sys.exit("no policy pack")
    project = Path("Pulumi.yaml").read_text(encoding="utf-8").split()[1]
    plan = Path(option(rest, "--plan") or option(rest, "--save-plan") or "none")
    stack = words[words.index("--stack") + 1]
    if command == "apply":
        for file in (plan, Path(f"{plan}.manifest.json")):
            if file.read_text(encoding="utf-8") != f"{project}/{stack}":
                sys.exit(f"{file} is not of this stack")
    report, data = Path(option(rest, "--report-markdown")), Path(option(rest, "--report-json"))
    if command == "preview":
        plan.parent.mkdir(exist_ok=True)
        for file in (plan, Path(f"{plan}.manifest.json")):
            file.write_text(f"{project}/{stack}", encoding="utf-8")
        report.parent.mkdir(exist_ok=True)
        Path(option(rest, "--pictures")).mkdir(exist_ok=True)
    report.write_text(f"<!-- clouddb ci {command} {project}/{stack} -->\nreport\n", encoding="utf-8")
    data.write_text("{}", encoding="utf-8")
    drifted = Path(f"{stack}.drifted")
    if command == "drift" and "--repair" in rest:
        drifted.unlink()
    return 6 if command == "drift" and drifted.exists() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
