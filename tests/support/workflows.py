"""Reads the workflow files of examples/gitops, and runs them step by step."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

GITOPS = Path(__file__).parents[2] / "examples" / "gitops"
GITHUB = sorted((GITOPS / "github").glob("*.yml"))
GITLAB = GITOPS / "gitlab" / ".gitlab-ci.yml"
EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")


@dataclass(frozen=True)
class Step:
    """A step of a GitHub workflow that runs commands.

    Attributes:
        file: The workflow.
        name: The step's name.
        id: Its id, by which later steps refer to its outputs.
        script: Its commands.
        env: The variables of the commands.
        folder: Their working directory.
        condition: The condition under which they run.
    """

    file: str
    name: str
    id: str
    script: str
    env: Mapping[str, str]
    folder: str
    condition: str


@dataclass(frozen=True)
class Done:
    """The result of a script."""

    code: int
    printed: str
    outputs: Mapping[str, str] = field(default_factory=dict)


def load(file: Path) -> dict[str, Any]:
    """Read a workflow file; YAML parses its key `on` as true."""
    text: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {"on" if key is True else str(key): value for key, value in text.items()}


def github_steps() -> dict[tuple[str, str], Step]:
    """Return every step with commands, by file and name."""
    found = {}
    for file in GITHUB:
        workflow = load(file)
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                if "run" in step:
                    env = {**workflow.get("env", {}), **job.get("env", {}), **step.get("env", {})}
                    folder = job["defaults"]["run"]["working-directory"]
                    found[file.stem, step["name"]] = Step(
                        file.stem, step["name"], step.get("id", ""), step["run"], env, folder, step.get("if", "")
                    )
    return found


def gitlab_scripts() -> dict[tuple[str, str], list[str]]:
    """Return the lines of every script, by job and section."""
    pipeline = load(GITLAB)
    before = pipeline["default"]["before_script"]
    jobs = {name: job for name, job in pipeline.items() if isinstance(job, dict) and "script" in job}
    found: dict[tuple[str, str], list[str]] = {}
    for name, job in jobs.items():
        found[name, "script"] = [*before, *job["script"]]
        if "after_script" in job:
            found[name, "after_script"] = job["after_script"]
    return found


def clouddb_commands() -> list[list[str]]:
    """Return the words of every `clouddb` command in the files."""
    scripts = [step.script for step in github_steps().values()]
    scripts += [line for lines in gitlab_scripts().values() for line in lines]
    lines = [line for script in scripts for line in script.replace("\\\n", " ").splitlines()]
    return [shlex.split(line) for line in lines if line.strip().startswith("clouddb ")]


class GitHub:
    """Runs steps as a runner does: a script per step, with contexts filled in, and outputs and summary in files.

    `gh` is a fake that stores its data in a folder; GitHub itself is not tested.

    Args:
        folder: The checkout.
        env: The variables of the machine.
        contexts: The values of expressions; outputs of steps are added.
    """

    def __init__(self, folder: Path, env: Mapping[str, str], contexts: Mapping[str, str]) -> None:
        self.folder, self.env, self.contexts = folder, dict(env), dict(contexts)
        self.ran: set[tuple[str, str]] = set()
        self._steps = github_steps()

    def run(self, file: str, name: str, scratch: Path) -> Done:
        """Run one step."""
        self.ran.add((file, name))
        step = self._steps[file, name]
        output = scratch / "output.txt"
        path = scratch / "path.txt"
        for file_of_step in (output, path):
            file_of_step.write_text("", encoding="utf-8")
        env = {key: self._filled(str(value)) for key, value in step.env.items()}
        special = {
            "GITHUB_OUTPUT": str(output),
            "GITHUB_PATH": str(path),
            "GITHUB_STEP_SUMMARY": str(scratch / "summary.md"),
            "RUNNER_TEMP": str(scratch / "temp"),
        }
        folder = self.folder / self._filled(step.folder)
        done = run_script(self._filled(step.script), folder, {**self.env, **env, **special}, "-e")
        outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        self.contexts |= {f"steps.{step.id}.outputs.{name}": value for name, value in outputs.items()}
        added = path.read_text(encoding="utf-8").splitlines()
        self.env["PATH"] = os.pathsep.join([*reversed(added), self.env["PATH"]])
        return Done(done.code, done.printed, outputs)

    def arguments(self, file: str, action: str) -> dict[str, str]:
        """Return the arguments (`with`) of the workflow's step that uses an action."""
        (workflow,) = (load(each) for each in GITHUB if each.stem == file)
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        (step,) = (each for each in steps if each.get("uses", "").startswith(f"{action}@"))
        return {name: self._filled(str(value)) for name, value in step["with"].items()}

    def upload(self, store: Path) -> None:
        """Store the artifact of a preview, as actions/upload-artifact does."""
        arguments = self.arguments("preview", "actions/upload-artifact")
        shutil.copytree(self.folder / arguments["path"], store / "artifacts" / arguments["name"], dirs_exist_ok=True)

    def _filled(self, text: str) -> str:
        return EXPRESSION.sub(lambda match: self.contexts[match.group(1)], text)


class GitLab:
    """Runs jobs as a runner does, and serves packages and notes to them.

    Args:
        folder: The checkout.
        env: The variables of the machine.
        matrix: The variables of one job of `parallel:matrix`.
    """

    def __init__(self, folder: Path, env: Mapping[str, str], matrix: Mapping[str, str]) -> None:
        self.folder, self.env = folder, {**env, "CI_PROJECT_DIR": str(folder), **matrix}
        self.ran: set[tuple[str, str]] = set()
        self.packages: dict[str, bytes] = {}
        self.notes: dict[int, str] = {}
        self._scripts = gitlab_scripts()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))

    def __enter__(self) -> GitLab:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def run(self, job: str, section: str = "script", **variables: str) -> Done:
        """Run a section of a job."""
        self.ran.add((job, section))
        api = f"http://127.0.0.1:{self._server.server_port}/api/v4"
        own = {"CI_API_V4_URL": api, "CI_PROJECT_ID": "42", "CI_JOB_TOKEN": "job-token", **variables}
        declared = {name: _expanded(str(text), own) for name, text in load(GITLAB)["variables"].items()}
        lines = "\n".join(self._scripts[job, section])
        return run_script(lines, self.folder, {**self.env, **own, **declared}, "-eo", "pipefail")


def run_script(script: str, folder: Path, env: Mapping[str, str], *options: str) -> Done:
    """Run a script with bash."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", *options, "-c", script],  # noqa: S607 - the bash on PATH is meant
        cwd=folder,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Done(done.returncode, done.stdout)


def _expanded(text: str, variables: Mapping[str, str]) -> str:
    return VARIABLE.sub(lambda match: variables.get(match.group(1) or match.group(2), ""), text)


def _handler(gitlab: GitLab) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            if path.endswith("/notes"):
                notes = [{"id": number, "body": body} for number, body in gitlab.notes.items()]
                self._respond(200, json.dumps(notes).encode())
            else:
                self._respond(200 if path in gitlab.packages else 404, gitlab.packages.get(path, b""))

        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            path = urlsplit(self.path).path
            if "/notes/" in path:
                gitlab.notes[int(path.rpartition("/")[2])] = parse_qs(body.decode())["body"][0]
            else:
                gitlab.packages[path] = body
            self._respond(201, b"{}")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            gitlab.notes[len(gitlab.notes) + 1] = parse_qs(body.decode())["body"][0]
            self._respond(201, b"{}")

        def _respond(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
