"""schema.json, which is that of today's models (generator/test_codegen.py); tests only read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[2] / "schema.json").read_text(encoding="utf-8"))
