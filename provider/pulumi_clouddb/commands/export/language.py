"""The languages that an export is written in."""

from __future__ import annotations

from enum import Enum


class Language(str, Enum):
    """What a program is written in."""

    PYTHON = "python"
    PYTHON_PLUGIN = "python-plugin"
    YAML = "yaml"
    TYPESCRIPT = "typescript"
