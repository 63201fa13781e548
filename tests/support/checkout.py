"""A checked-out repository with a Pulumi project that deploys to a sandbox."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clouddb_tools.sandbox import Sandbox

from .workflows import GITOPS

STACK = "production"
FAKE_GH = Path(__file__).with_name("fake_gh.py")
PROGRAM = """
import pulumi
import pulumi_clouddb as clouddb

service = clouddb.Service(
    "orders",
    name="Orders",
    provider="aws",
    region="eu-central-1",
    num_replicas=3,
    ip_access_list=[clouddb.IpAccessEntryArgs(source="203.0.113.0/24", description="Office")],
)
key = clouddb.ApiKey("reports", name="Reports", roles=["developer"])
pulumi.export("password", service.password)
pulumi.export("keySecret", key.key_secret)
"""


class Checkout:
    """The repository, the stack's backend, and the commands that run in them.

    Attributes:
        root: The repository.
        folder: The folder of the project in it.
    """

    def __init__(self, folder: Path, sandbox: Sandbox, program: str = PROGRAM, within: str = ".") -> None:
        self.base, self.sandbox = folder, sandbox
        self.root = folder / "repository"
        self.folder = self.root / within
        self.store = folder / "gh"
        for each in (self.folder, self.store, folder / "backend", folder / "home", folder / "bin"):
            each.mkdir(parents=True)
        self.env = self._environment()
        self._programs()
        (self.folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
        (self.folder / "requirements.txt").write_text("pulumi-clouddb[tools,policy]\n", encoding="utf-8")
        compiled = shutil.ignore_patterns("__pycache__")
        shutil.copytree(GITOPS.parent / "policy-pack", self.folder / "policies", ignore=compiled)
        self.write(program)
        self.pulumi("stack", "init", STACK)
        pairs = [
            word
            for key, value in sandbox.config.items()
            for word in ("--secret" if key in sandbox.secret_keys else "--plaintext", f"{key}={value}")
        ]
        self.pulumi("config", "set-all", *pairs, "--stack", STACK)
        self.git("init", "--quiet", "--initial-branch", "main", str(self.root))
        self.commit("Add the shop")

    def write(self, program: str) -> None:
        """Write the program."""
        (self.folder / "__main__.py").write_text(program, encoding="utf-8")

    def commit(self, message: str) -> None:
        """Commit all files except those that runs write."""
        ignored = ".venv/\nplan/\npreview/\n*.gz\n*.md\n*.json\n__pycache__/\n"
        (self.root / ".gitignore").write_text(ignored, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    def git(self, *words: str) -> str:
        """Run git in the repository."""
        author = ("-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false")
        return self._run(["git", *author, *words]).stdout

    def pulumi(self, *words: str, text: str = "") -> str:
        """Run the CLI; it must succeed."""
        return self._run(["pulumi", *words, "--non-interactive"], text).stdout

    def pulumi_fails(self, *words: str, **env: str) -> str:
        """Run the CLI; it must fail. Return its output."""
        command = ["pulumi", *words, "--non-interactive", "--color", "never"]
        done = subprocess.run(
            command, cwd=self.folder, env={**self.env, **env}, capture_output=True, text=True, check=False
        )
        assert done.returncode != 0, done.stdout
        return done.stdout + done.stderr

    def ci(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run `clouddb ci` in the repository; it may fail."""
        command = [sys.executable, "-m", "clouddb_tools.commands", "ci", *words]
        return subprocess.run(
            command, cwd=self.folder, env={**self.env, **env}, capture_output=True, text=True, check=False
        )

    def report(self, name: str = "report.json") -> dict[str, Any]:
        """Return a report that a command wrote."""
        return dict(json.loads((self.folder / name).read_text(encoding="utf-8")))

    @property
    def secrets(self) -> dict[str, str]:
        """All secrets by name: of the configuration, and the outputs that servers generated."""
        config = {key: self.sandbox.config[key] for key in self.sandbox.secret_keys}
        outputs = json.loads(self.pulumi("stack", "output", "--json", "--show-secrets", "--stack", STACK))
        return config | {name: str(value) for name, value in outputs.items()}

    def _run(self, command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done

    def _programs(self) -> None:
        """Write the fake `gh`, and a `python` whose new environments have the packages of this one.

        `pulumi install` upgrades pip, which would change the environment of the tests, or fail without a registry.
        """
        packages = sysconfig.get_path("purelib")
        own = sysconfig.get_path("purelib", vars={"base": ".venv"})
        new = f"""if [ "$*" = "-m venv .venv" ]; then
            "{sys.executable}" -m venv --without-pip .venv && echo "{packages}" > "{own}/packages.pth" && exit
        fi
        if [ "$*" = "-m pip install --upgrade pip setuptools wheel" ]; then exit; fi"""
        for name, script in {"gh": f'exec "{sys.executable}" "{FAKE_GH}" "$@"', "python": new}.items():
            file = self.base / "bin" / name
            file.write_text(f'#!/bin/sh\n{script}\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
            file.chmod(0o755)

    def _environment(self) -> Mapping[str, str]:
        path = [str(self.base / "bin"), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "CI_"))},
            "PATH": os.pathsep.join(path),
            "GH_STORE": str(self.store),
            "GITHUB_REPOSITORY": "example/shop",
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PULUMI_PYTHON_CMD": path[0] + "/python",
            "PULUMI_BACKEND_URL": (self.base / "backend").as_uri(),
            "PULUMI_HOME": str(self.base / "home"),
            "PULUMI_CONFIG_PASSPHRASE": "test passphrase",
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        }
