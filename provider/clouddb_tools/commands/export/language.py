"""The languages of exported programs."""

from __future__ import annotations

from enum import Enum


class Language(str, Enum):
    """The language of a program."""

    PYTHON = "python"
    PYTHON_PLUGIN = "python-plugin"
    YAML = "yaml"
    TYPESCRIPT = "typescript"
