"""The help of the commands: it shows every default, also one that is described in words."""

from __future__ import annotations

import os

import pytest
from typer.testing import CliRunner

from clouddb_tools.commands.main import app


@pytest.mark.parametrize(
    ("command", "default"),
    [
        ("sandbox", "in memory"),
        ("sandbox", "none"),
        ("sandbox reset", "--port before the command, or 8980"),
        ("sandbox log", "all"),
        ("sandbox fault", "once; always with --seconds"),
        ("sandbox fault", "until it has affected that many requests"),
        ("doctor", "the environment, CLOUDDB_*"),
        ("export", "the environment, CLOUDDB_*"),
        ("ci preview", "the report lists the files"),
    ],
)
def test_the_help_shows_a_default_in_words(command: str, default: str) -> None:
    """Brackets in a help text are markup of rich, which leaves them out."""
    result = CliRunner().invoke(app, [*command.split(), "--help"], env={**os.environ, "COLUMNS": "300"})
    assert f"[default: ({default})]" in result.output
