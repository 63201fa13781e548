"""The file of objects for `clouddb sandbox seed` and `--seed`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from clouddb_tools.commands.printing import usage_error

Objects = dict[str, list[dict[str, Any]]]


def objects_of(file: Path) -> Objects:
    """Return the objects of a JSON or YAML file, by kind.

    Raises:
        BadParameter: The file cannot be read, or does not contain objects by kind.
    """
    try:
        data = file.read_bytes()
        content = json.loads(data) if file.suffix == ".json" else _yaml(data)
        json.dumps(content)  # YAML has more types than JSON
    except (OSError, TypeError, ValueError, RecursionError) as error:
        raise usage_error(f"{file} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise typer.BadParameter(f"{file} must contain objects by kind, such as `services: [{{name: orders}}]`")
    return content


def _yaml(data: bytes) -> Any:
    """Parse YAML. A timestamp stays text, as in JSON."""
    import yaml

    class Loader(yaml.SafeLoader):
        """A loader without timestamps."""

    Loader.yaml_implicit_resolvers = {
        letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        return yaml.load(data, Loader)  # noqa: S506 (a safe loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
