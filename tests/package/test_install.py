"""Each file of a release, as its page installs it: in an empty folder and an empty home, without make and clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from build_release import PLATFORMS, SUMS
from clouddb_tools.sandbox import Sandbox
from support.schema import SCHEMA
from support.sdk import GO, TYPESCRIPT, YAML

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.usefixtures("registry"),
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on PATH"),
]

DOCS = Path(__file__).parents[2] / "docs"
START, NATIVE, INDEX = "getting-started.md", "native-plugin.md", "_index.md"
VERSION = SCHEMA["version"]


def commands(page: str, first: str) -> str:
    """Return the first block of commands of a page that begins with a text."""
    blocks = re.findall(r"^((?: {4}.*\n)+)", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
    return next(text for text in map(textwrap.dedent, blocks) if text.startswith(first))


def block(page: str, language: str, words: str) -> str:
    """Return the block of a page that has words; a database in it may be deleted."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    (found,) = (each for each in blocks if re.search(words, each))
    return (
        str(found)
        .replace("tion_protection=True", "tion_protection=False")
        .replace("Protection: true", "Protection: false")
    )


@dataclass(frozen=True)
class Way:
    """A way to install a file of a release.

    Attributes:
        file: The file in dist/; empty if it is the repository.
        install: Commands of pages.
        language: That of the program.
        page: The page with the program.
        settings: Pulumi.yaml, where it is not the program.
    """

    file: str
    install: str
    language: str
    page: str = INDEX
    settings: str = ""

    def write(self, project: Path) -> None:
        """Write the program with its settings."""
        text = block(self.page, self.language, "(?i)eu.?central.?1")
        runtime = "nodejs" if self.language == "typescript" else self.language
        (project / "Pulumi.yaml").write_text(self.settings or f"name: orders\nruntime: {runtime}\n", encoding="utf-8")
        name = {"python": "__main__.py", "typescript": "index.ts", "go": "main.go", "yaml": "Pulumi.yaml"}
        (project / name[self.language]).write_text(text, encoding="utf-8")


WHEEL, SDIST = f"pulumi_clouddb-{VERSION}-py3-none-any.whl", f"pulumi_clouddb-{VERSION}.tar.gz"
PLUGIN, SDK = f"pulumi-resource-clouddb-v{VERSION}-linux-amd64.tar.gz", "pulumi-clouddb-sdk-{}.tar.gz"

VENV = commands(START, "python3 -m venv")
FILE = VENV + commands(START, "pip install './dist/")
TAG, URL = (VENV + commands(START, f"pip install 'pulumi-clouddb[sandbox] @ {each}") for each in ("git+", "https:"))
BY_FILE, BY_SERVER = (
    commands(NATIVE, f"pulumi plugin install resource clouddb v{VERSION} {each} ") for each in ("--file", "--server")
)
GENERATED = "".join(line for line in commands(START, "npm init -y ").splitlines(True) if "# Go" not in line)
NPM, PIP, GO_MOD = (
    BY_FILE + commands(NATIVE, each) for each in ("npm init -y\n", "pip install ./dist/", "go mod init")
)

WITHOUT_CLI = {
    "a tag": Way("", TAG, "python", START),
    "the wheel": Way(WHEEL, FILE, "python", START),
    "the sdist": Way(SDIST, FILE.replace(WHEEL, SDIST), "python", START),
}
WITH_CLI = {
    "a wheel of a server, YAML": (Way(WHEEL, URL, "yaml", START), YAML),
    "a wheel of a server, TypeScript": (
        Way(WHEEL, URL + GENERATED, "typescript", START, block(START, "yaml", "runtime: nodejs")),
        TYPESCRIPT,
    ),
    "a plugin, YAML": (Way(PLUGIN, BY_FILE, "yaml"), YAML),
    "a plugin of a server, YAML": (Way(PLUGIN, BY_SERVER, "yaml"), YAML),
    "an SDK, TypeScript": (Way(SDK.format("nodejs"), NPM, "typescript"), TYPESCRIPT),
    "an SDK, Python": (Way(SDK.format("python"), VENV + PIP, "python"), pytest.mark.cli),
    "an SDK, Go": (Way(SDK.format("go"), GO_MOD, "go"), GO),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return the empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return what runs commands of a page in a folder, with a home beside it; they must succeed.

    Only downloads are kept for the next one, as far as that is simple: those of pip, and what Go compiles for minutes.
    """
    kept = {"PIP_CACHE_DIR": str(tmp_path_factory.mktemp("pip"))}
    if go := shutil.which("go"):
        for name in ("GOCACHE", "GOMODCACHE"):
            done = subprocess.run([go, "env", name], capture_output=True, text=True, check=True)
            kept[name] = done.stdout.strip()
    dropped = ("PYTHON", "VIRTUAL_ENV", "CLOUDDB_", "PULUMI_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    own, base = Path(sys.executable).parent, Path(getattr(sys, "_base_executable", sys.executable)).parent
    path = [str(base), *(each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != own)]

    def run(folder: Path, text: str, **env: str) -> str:
        home = folder.parent / "home"
        home.mkdir(exist_ok=True)
        done = subprocess.run(
            ["bash", "-e"],  # noqa: S607
            input=text,
            cwd=folder,
            env={**inherited, **kept, "HOME": str(home), "PATH": os.pathsep.join(path), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def install(
    dist: Path, sdk: Callable[[str], Path], request: pytest.FixtureRequest, project: Path, shell: Callable[..., str]
) -> Callable[..., None]:
    """Return what installs a file as its page tells, in the folder of its program; of dist/ it has this file only."""

    def run(way: Way, **env: str) -> None:
        if way.file:
            (project / "dist").mkdir()
            language = re.fullmatch(SDK.format("(.+)"), way.file)
            shutil.copy(sdk(language[1]) if language else dist / way.file, project / "dist")
        way.write(project)
        served = request.getfixturevalue("served") if "https://" in way.install else ""  # else it takes seconds in vain
        text = way.install.replace(f"https://HOST/OWNER/NAME/releases/download/v{VERSION}", served)
        if BY_FILE in text:
            shutil.copy(dist / PLUGIN, project / "dist")
        text = text.replace("https://HOST/OWNER/NAME", f"{served}/pulumi-clouddb.git")
        shell(project, text.replace("https://plugins.example.com", served), **env)

    return run


@pytest.mark.parametrize("way", WITHOUT_CLI)
def test_program_runs_without_the_cli(
    way: str, install: Callable[..., None], project: Path, shell: Callable[..., str]
) -> None:
    """Nothing is needed but what the page installs: the sandbox is in an extra."""
    install(WITHOUT_CLI[way])
    script = Path(__file__).with_name("installed.py")  # its other check needs the extra policy
    runs = f"import pathlib, runpy; runpy.run_path('{script}')['program_runs'](pathlib.Path())"
    assert f" {VERSION} " in shell(project, "source .venv/bin/activate\nclouddb --version")
    shell(project, f'source .venv/bin/activate\npython -I -c "{runs}"')


@pytest.mark.parametrize("way", [pytest.param(name, marks=mark) for name, (_, mark) in WITH_CLI.items()])
def test_program_runs_with_the_cli(
    way: str, install: Callable[..., None], project: Path, shell: Callable[..., str]
) -> None:
    """The engine finds the plugin where the page puts it; a preview after `up` shows no changes."""
    given, _ = WITH_CLI[way]
    (project.parent / "backend").mkdir()
    env = {
        "PULUMI_BACKEND_URL": (project.parent / "backend").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }
    install(given, **env)
    active = "source .venv/bin/activate\n" if given.language == "python" else ""
    with Sandbox() as sandbox:
        settings = [
            f"pulumi config set {'--secret' if key in sandbox.secret_keys else '--plaintext'} {key} '{value}'"
            for key, value in sandbox.config.items()
        ]
        steps = ["pulumi stack init dev", *settings, "pulumi up --yes --skip-preview"]
        shell(project, active + "\n".join(steps), **env)
        assert len(sandbox.services) == 1
        shell(project, f"{active}pulumi preview --expect-no-changes\npulumi destroy --yes --skip-preview", **env)
        assert not sandbox.services


def test_every_file_of_a_release_is_installed(dist: Path) -> None:
    """The archives of all platforms have the same content, so that of one stands for all."""
    installed = {*(each.file for each in WITHOUT_CLI.values()), *(each.file for each, _ in WITH_CLI.values())}
    others = {PLUGIN.replace("linux-amd64", each) for each in PLATFORMS}
    assert {each.name for each in dist.iterdir()} - installed - others == {SUMS}
