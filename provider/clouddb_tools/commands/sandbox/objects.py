"""The file of objects for `clouddb sandbox seed` and `--seed`."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import typer

from clouddb_tools.commands.printing import usage_error

Objects = dict[str, list[dict[str, Any]]]

MOST_VALUES = 1_000_000
"""Values in a file: ten aliases within ten others, ten times, would be ten billions."""


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

        close = yaml.SafeLoader.dispose

    Loader.yaml_implicit_resolvers = {
        letter: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def size(node: yaml.Node) -> int:
        """Return the number of values in a node, with each alias counted as what it stands for."""
        if id(node) not in sizes:
            parts = [each for pair in node.value for each in pair] if isinstance(node, yaml.MappingNode) else node.value
            sizes[id(node)] = 1 + (0 if isinstance(node, yaml.ScalarNode) else sum(map(size, parts)))
        return sizes[id(node)]

    sizes: dict[int, int] = {}
    try:
        with closing(Loader(data)) as loader:
            node = loader.get_single_node()
            if node is not None and size(node) > MOST_VALUES:
                raise ValueError(f"with its aliases, it has more than {MOST_VALUES:,} values")
            return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
