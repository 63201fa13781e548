"""Files remain UTF-8 in terminals, locales and systems with another encoding."""

from __future__ import annotations

import ast
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.export.terraform import read_state
from clouddb_tools.commands.main import app
from clouddb_tools.commands.sandbox.objects import objects_of
from clouddb_tools.sandbox import Sandbox
from support.five import environment

NAME = "Größe “today” 東京 😀"
LATIN = {"PYTHONIOENCODING": "latin-1", "COLUMNS": "60"}
WINDOWS = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "COLUMNS": "60"}
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
"""Locales in which Python does not use UTF-8, as on Windows."""

CLOUDDB = [sys.executable, "-m", "clouddb_tools.commands"]
SLOW = [pytest.mark.slow]


def environ(*more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of this process with more variables."""
    return {**os.environ, **{name: value for each in more for name, value in each.items()}}


@pytest.mark.parametrize(
    "locale",
    [
        pytest.param(LATIN, id="latin", marks=SLOW),
        pytest.param(WINDOWS, id="windows", marks=SLOW),
        pytest.param(ASCII, id="ascii"),  # it has the fewest characters
    ],
)
def test_redirected_output_is_utf_8(locale: Mapping[str, str], tmp_path: Path) -> None:
    """Python can parse the program, and JSON readers the log."""
    with Sandbox(vocabulary="neutral") as sandbox:
        service = sandbox.add("services", name=NAME)["id"]
        with sandbox.management() as http:
            http.post("/keys", json={"name": NAME, "roles": []})
        env = environ(environment(sandbox), locale)
        port = sandbox.url.rpartition(":")[2]
        words = ["import-file", f"Service:orders={service}", "--output", str(tmp_path / "import.json")]
        program, log = (
            subprocess.run([*CLOUDDB, *each], env=env, capture_output=True, check=True).stdout
            for each in (words, ["sandbox", "log", "--json", "--port", port])
        )
    assert f"name={NAME!r}".replace("'", '"') in ast.unparse(ast.parse(program)).replace("'", '"')
    assert NAME in [json.loads(line)["body"].get("name") for line in log.splitlines() if json.loads(line)["body"]]


@pytest.mark.parametrize(("locale", "ellipsis"), [(LATIN, b"\\u2026"), (WINDOWS, b"\x85")], ids=["latin", "windows"])
def test_terminal_output_is_escaped_for_its_encoding(locale: Mapping[str, str], ellipsis: bytes) -> None:
    """The ellipsis of narrow columns in a help text is escaped in Latin-1; the code page of Windows has it."""
    parent, child = pty.openpty()
    with subprocess.Popen([*CLOUDDB, "export", "--help"], env=environ(locale), stdout=child, stderr=child) as process:
        os.close(child)
        shown = b"".join(parts(parent))
    os.close(parent)
    assert process.returncode == 0
    assert ellipsis in shown


def parts(terminal: int) -> Iterator[bytes]:
    """Yield the output of a terminal until it is closed on the other side."""
    with suppress(OSError):
        while part := os.read(terminal, 4096):
            yield part


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        pytest.param(words, unbuffered, id=f"{' '.join(words)}-{buffering}", marks=marks)
        for words, marks in ((["--version"], ()), (["export", "--help"], SLOW), (["doctor", "--json"], SLOW))
        for unbuffered, buffering in (("", "buffered"), ("1", "unbuffered"))
    ],
)
def test_full_disk_is_reported(words: list[str], unbuffered: str) -> None:
    """Standard output is redirected to a full disk."""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*CLOUDDB, *words], stdout=full, stderr=subprocess.PIPE, env=environment, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (1, "error: [Errno 28] No space left on device\n")


TERRAFORM = {
    "version": 4,
    "resources": [{"mode": "managed", "type": "clickhouse_service", "name": "a", "instances": [{"index_key": NAME}]}],
}
BOARD = {"urn": "urn:pulumi:dev::shop::clouddb:index:Dashboard::a", "type": "clouddb:index:Dashboard", "id": "1"}
STATE = {"deployment": {"resources": [{**BOARD, "outputs": {"name": NAME, "tiles": []}}]}}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_input_files_are_read_in_the_encoding_of_windows_tools(encoding: str, tmp_path: Path) -> None:
    """PowerShell redirects in UTF-16, and editors on Windows write a byte order mark."""

    def write(name: str, document: object) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(document, ensure_ascii=False), encoding=encoding)
        return path

    assert read_state(write("terraform.tfstate", TERRAFORM))[0].address == f'clickhouse_service.a["{NAME}"]'
    objects = {"services": [{"name": NAME}]}
    assert [objects_of(write(f"objects.{suffix}", objects)) for suffix in ("json", "yaml")] == [objects, objects]
    data, picture = write("state.json", STATE).read_bytes(), tmp_path / "x.svg"
    for file in ("-", str(tmp_path / "state.json")):
        words = ["render", "--state-file", file, "--output", str(picture)]
        done = CliRunner().invoke(app, words, input=data)
        assert done.exit_code == 0, done.output
        assert NAME in picture.read_text(encoding="utf-8")
        picture.unlink()


SCRIPT = """
from pathlib import Path
from clouddb_tools.commands.export.handover import Settings, create_stack
from clouddb_tools.commands.stack_config import stack_config

values, _ = stack_config("dev")
create_stack(Path(), "dev", Settings({}, values), {}, lambda *_: None)
"""


def test_pulumi_is_called_with_utf_8(tmp_path: Path) -> None:
    """Its configuration is read, and its secrets are set, without changes."""
    command = tmp_path / "pulumi"
    command.write_text('#!/bin/sh\ncase "$*" in *--secret*) exec cat > secret;; *) exec cat config.json;; esac\n')
    command.chmod(0o755)
    document = json.dumps({"clouddb:keySecret": {"value": f"{NAME}\n"}}, ensure_ascii=False)
    (tmp_path / "config.json").write_text(document, encoding="utf-8")
    env = environ(ASCII, {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"})
    subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, env=env, check=True)
    stdin = (tmp_path / "secret").read_bytes().decode()
    assert stdin.removesuffix("\n") == f"{NAME}\n"  # Pulumi removes the last line break of its input
