"""The SDK for Python that Pulumi generates from schema.json."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from .schema import SCHEMA

ROOT = Path(__file__).parents[2]
SDK = "pulumi_clouddb_native"


def generate_sdk(folder: Path) -> Path:
    """Generate it as a folder for PYTHONPATH, with the metadata that installing it would leave."""
    environment = {**os.environ, "PULUMI_HOME": str(folder / "home"), "PULUMI_SKIP_UPDATE_CHECK": "true"}
    command = ["pulumi", "package", "gen-sdk", str(ROOT / "schema.json"), "--language", "python", "--out", str(folder)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    metadata = folder / "python" / f"{SDK}-{SCHEMA['version']}.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text(f"Metadata-Version: 2.1\nName: {SDK}\nVersion: {SCHEMA['version']}\n", encoding="utf-8")
    return folder / "python"
