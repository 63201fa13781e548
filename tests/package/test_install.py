"""The steps of docs/getting-started.md, in an empty folder and an empty home, without make, clone and cache."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from clouddb_tools.sandbox import Sandbox
from support.schema import SCHEMA
from support.sdk import TYPESCRIPT, YAML

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.usefixtures("registry"),
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on PATH"),
]

PAGE = (Path(__file__).parents[2] / "docs" / "getting-started.md").read_text(encoding="utf-8")
ENVIRONMENT, TAG, RELEASE = re.findall(
    r"^((?: {4}.*\n)+)", PAGE.partition("## Install\n")[2].partition("In a clone")[0], re.MULTILINE
)
"""The commands that make the environment, install from a tag, and install the wheel of a release."""

HOST = "https://HOST/OWNER/NAME"


def program(language: str) -> str:
    """Return the program of the page in a language."""
    text = PAGE.partition("## Write a program\n")[2]
    first = {
        "python": "# __main__.py",
        "yaml": "# Pulumi.yaml\nname: orders\nruntime: yaml",
        "typescript": "// index.ts",
    }[language]
    (found,) = re.findall(rf"```{language}\n({first}\n.*?)```", text, re.DOTALL)
    return str(found)


def shell(folder: Path, commands: str, **env: str) -> str:
    """Run commands of the page in a folder, with a home beside it; they must succeed."""
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    inherited: Mapping[str, str] = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "VIRTUAL_ENV", "CLOUDDB_", "PULUMI_"))
    }
    own = Path(sys.executable).parent
    path = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != own]
    done = subprocess.run(
        ["bash", "-e"],  # noqa: S607
        input=commands,
        cwd=folder,
        env={**inherited, "HOME": str(home), "PATH": os.pathsep.join(path), "PIP_NO_CACHE_DIR": "1", **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_tag_and_python(served: str, project: Path) -> None:
    """The first program then runs on the sandbox that the extra installs."""
    shell(project, ENVIRONMENT + TAG.replace(HOST, f"{served}/pulumi-clouddb.git"))
    (project / "Pulumi.yaml").write_text("name: orders\nruntime: python\n", encoding="utf-8")
    # No CLI is needed here, and so nobody turns the protection off before the destroy.
    text = program("python").replace("deletion_protection=True", "deletion_protection=False")
    (project / "__main__.py").write_text(text, encoding="utf-8")
    script = Path(__file__).with_name("installed.py")  # its other check needs the extra policy
    runs = f"import pathlib, runpy; runpy.run_path('{script}')['program_runs'](pathlib.Path())"
    assert f" {SCHEMA['version']} " in shell(project, "source .venv/bin/activate\nclouddb --version")
    shell(project, f'source .venv/bin/activate\npython -I -c "{runs}"')


@YAML
def test_release_and_yaml(served: str, project: Path) -> None:
    """The engine finds the plugin in the folder that the page names."""
    install_release(served, project)
    (project / "Pulumi.yaml").write_text(program("yaml"), encoding="utf-8")
    deploy(project)


@TYPESCRIPT
def test_release_and_typescript(served: str, project: Path) -> None:
    """The commands of the page make a project of an empty folder."""
    page, _, _ = PAGE.partition("## Write a program\n")
    other = page.partition("### In TypeScript")[2]
    settings = re.search(r"```yaml\n(.*?)```", other, re.DOTALL)
    assert settings
    commands = re.search(r"^(?: {4}.*\n)+", other[settings.end() :], re.MULTILINE)
    assert commands
    install_release(served, project)
    (project / "Pulumi.yaml").write_text(settings[1], encoding="utf-8")
    (project / "index.ts").write_text(program("typescript"), encoding="utf-8")
    lines = [line for line in commands[0].splitlines() if "# Go" not in line]
    shell(project, "\n".join(lines), **ENGINE)
    deploy(project)


ENGINE = {
    "PULUMI_CONFIG_PASSPHRASE": "test",
    "PULUMI_SKIP_UPDATE_CHECK": "true",
    "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
}


def install_release(served: str, project: Path) -> None:
    """Install the wheel of a release as the page does."""
    shell(project, ENVIRONMENT + RELEASE.replace(f"{HOST}/releases/download/v{SCHEMA['version']}", served))


def deploy(project: Path) -> None:
    """Create the stack of a project on a sandbox; a preview then shows no changes."""
    backend = project.parent / "backend"
    backend.mkdir()
    env = {**ENGINE, "PULUMI_BACKEND_URL": backend.as_uri()}
    with Sandbox() as sandbox:
        settings = [
            f"pulumi config set {'--secret' if key in sandbox.secret_keys else '--plaintext'} {key} '{value}'"
            for key, value in sandbox.config.items()
        ]
        shell(project, "\n".join(["pulumi stack init dev", *settings, "pulumi up --yes --skip-preview"]), **env)
        assert len(sandbox.services) == 1
        shell(project, "pulumi preview --expect-no-changes", **env)
