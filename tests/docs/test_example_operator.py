"""The Stack of Pulumi's operator for Kubernetes: what it sets exists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from pulumi_clouddb.create.pending_files import FOLDER_VARIABLE
from pulumi_clouddb.schema.base import wire_names
from pulumi_clouddb.schema.config import ProviderConfig, environment_name

FILE = Path(__file__).parents[2] / "examples" / "operator" / "stack.yaml"


def test_operator_uses_existing_settings() -> None:
    """It uses existing keys and variables of the provider, and each secret comes from a secret of the cluster."""
    spec: dict[str, Any] = list(yaml.safe_load_all(FILE.read_text(encoding="utf-8")))[-1]["spec"]
    keys = {f"clouddb:{name}" for name in wire_names(ProviderConfig)}
    assert set(spec["config"]) <= keys
    variables = {name for name in spec["envRefs"] if name.startswith("CLOUDDB_")}
    assert variables <= {environment_name(key.removeprefix("clouddb:")) for key in keys} | {FOLDER_VARIABLE}
    assert {name for name, each in spec["envRefs"].items() if each["type"] == "Literal"} == {FOLDER_VARIABLE}
