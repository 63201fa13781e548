"""The content of schema.json, which generator/test_codegen.py compares with the models; read-only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[2] / "schema.json").read_text(encoding="utf-8"))
