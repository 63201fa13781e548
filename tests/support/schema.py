"""The schema of today's models, built once for all tests of a process; they only read it."""

from __future__ import annotations

from codegen.schema import build_schema

SCHEMA = build_schema()
