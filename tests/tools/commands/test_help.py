"""The help of the commands shows every default, including defaults in words."""

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
def test_help_shows_defaults_in_words(command: str, default: str) -> None:
    """Rich would interpret plain brackets as markup, and remove them."""
    result = CliRunner().invoke(app, [*command.split(), "--help"], env={**os.environ, "COLUMNS": "300"})
    assert f"[default: ({default})]" in result.output
