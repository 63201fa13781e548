"""Generated tables in hand-written pages, each between two markers."""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Callable, Mapping
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from clouddb_tools.commands.doctor.checks import CHECKS, DUPLICATES
from clouddb_tools.commands.doctor.finding import DoctorExit
from clouddb_tools.commands.exit_codes import (
    DashboardsExit,
    ExportExit,
    FindExit,
    ImportFileExit,
    MeaningfulCode,
    RenderExit,
    SandboxExit,
)
from clouddb_tools.commands.gitops.exit_codes import ExitCode
from clouddb_tools.commands.main import app
from clouddb_tools.sandbox.faults import FaultKind

from . import evidence, neutral, not_managed, performance, terraform, troubleshooting
from .docs import settings, table
from .names import NOTICE, Json, base_name, import_commands


def filled_pages(root: Path, schema: Json) -> dict[str, str]:
    """Return the text of each page of the repository at `root` with current tables, by path.

    Raises:
        ValueError: A page lacks the markers of one of its tables.
    """
    pages = {}
    for page, tables in TABLES.items():
        text = (root / page).read_text(encoding="utf-8")
        for source, write in tables.items():
            start = f"<!-- {NOTICE.format(source)} -->\n\n"
            end = f"\n\n<!-- End of the text generated from {source}. -->"
            before, _, rest = text.partition(start)
            _, marker, after = rest.partition(end)
            if not marker:
                raise ValueError(f"{page} lacks the lines {start.strip()} and {end.strip()}")
            text = "".join([before, start, write(schema), end, after])
        pages[page] = text
    return pages


def _settings(schema: Json) -> str:
    """Return the settings for the Pulumi Registry, without links to types, which its page does not describe."""
    return re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", settings(schema))


def _import_ids(schema: Json) -> str:
    rows = []
    for token, spec in schema["resources"].items():
        ids = [line.split()[-1] for line in import_commands(spec).splitlines() if line.startswith("pulumi")]
        rows.append([f"`{base_name(token)}`", ", or of a service: ".join(f"`{each}`" for each in ids)])
    return table(["Resource", "ID"], rows)


def _reported_codes(codes: type[MeaningfulCode]) -> Callable[[Json], str]:
    """Return a function that writes the table of exit codes with their names in reports."""
    rows = [[str(code.value), f"`{code.outcome}`", code.meaning] for code in codes]
    return lambda _: table(["Code", "Outcome", "Meaning"], rows)


def _codes(codes: type[MeaningfulCode]) -> Callable[[Json], str]:
    """Return a function that writes the table of exit codes."""
    return lambda _: table(["Exit code", "Meaning"], [[str(code.value), code.meaning] for code in codes])


def _doctor_checks(_: Json) -> str:
    return table(["Check", "What it looks at"], [[f"`{each.name}`", each.about] for each in (*CHECKS, DUPLICATES)])


def _sandbox_options(_: Json) -> str:
    command = cast(TyperGroup, get_command(app)).commands["sandbox"]
    options = [each for each in command.params if isinstance(each, TyperOption)]
    return table(["Option", "Meaning", "Default"], [_option(each) for each in options])


def _option(option: TyperOption) -> list[str]:
    """Return the row of an option; a default may be described in words."""
    text, default = option.help or "", option.show_default
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    if isinstance(option.default, bool):
        return [names, text, f"`{option.opts[0]}`" if option.default else ""]
    if isinstance(option.default, Enum):
        names += f" `{'|'.join(each.value for each in type(option.default))}`"
    return [names, text, default if isinstance(default, str) else _code(option.default)]


def _fault_kinds(_: Json) -> str:
    """Return the table of faults, from the docstrings of their kinds."""
    declared = cast(ast.ClassDef, ast.parse(inspect.getsource(FaultKind)).body[0])
    descriptions = {
        member.targets[0].id: text.value.value
        for member, text in pairwise(declared.body)
        if isinstance(member, ast.Assign) and isinstance(member.targets[0], ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }
    return table(["Kind", "What happens"], [[f"`{kind.value}`", str(descriptions[kind.name])] for kind in FaultKind])


def _code(value: Any) -> str:
    """Return a default as code, or an empty text if there is none."""
    if value is None:
        return ""
    plain = value.value if isinstance(value, Enum) else value
    return f"`{plain if isinstance(plain, str) else json.dumps(plain)}`"


TABLES: Mapping[str, Mapping[str, Callable[[Json], str]]] = {
    "docs/importing.md": {
        "ExportExit": _codes(ExportExit),
        "schema.json": _import_ids,
        "ImportFileExit": _codes(ImportFileExit),
    },
    "docs/installation-configuration.md": {"schema/config.py": _settings},
    "docs/moving-from-terraform.md": {
        "tools/codegen/terraform.py": terraform.counterparts,
        "tools/codegen/terraform.py, DATA_SOURCES": terraform.data_sources,
        "commands/export/terraform_attributes.py": terraform.attributes,
    },
    "docs/neutral-dialect.md": {"schema.json": neutral.lacking},
    "docs/not-managed.md": {
        "tools/codegen/not_managed.py": not_managed.operations,
        "tools/codegen/not_managed.py, VALUES": not_managed.values,
    },
    "docs/reliability-tests.md": {"tools/codegen/evidence.py": evidence.evidence},
    "docs/dashboards-from-files.md": {"DashboardsExit": _codes(DashboardsExit)},
    "docs/finding.md": {"FindExit": _codes(FindExit)},
    "docs/pictures.md": {"RenderExit": _codes(RenderExit)},
    "docs/doctor.md": {
        "commands/doctor/checks.py": _doctor_checks,
        "commands/doctor/finding.py": _reported_codes(DoctorExit),
    },
    "docs/gitops.md": {"commands/gitops/exit_codes.py": _reported_codes(ExitCode)},
    "docs/sandbox.md": {
        "commands/sandbox/command.py": _sandbox_options,
        "SandboxExit": _codes(SandboxExit),
        "sandbox/faults.py": _fault_kinds,
    },
    "docs/troubleshooting.md": {
        "client/errors.py": troubleshooting.classes,
        "client/errors.py, ADVICE": troubleshooting.server_words,
    },
    "docs/measurements.md": performance.TABLES,
}
"""The functions that write the tables, by page and by source."""
