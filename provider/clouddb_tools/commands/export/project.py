"""The files of an exported project: its program, the files that the language needs, and its settings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clouddb_tools.commands.origin import installed_from
from pulumi_clouddb.engine.plugin.schema import schema_text
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.resource_type import with_article
from pulumi_clouddb.things.user_defined_functions.user_defined_function import USER_DEFINED_FUNCTION

from . import yaml
from .import_file import dynamic_document, native_document
from .import_file import text as import_text
from .language import Language
from .modules import modules_of
from .python import IMPORT, NATIVE_IMPORT, python_program
from .reading import Found
from .statements import Json, Ref, Step
from .typescript import typescript_program

IMPORT_FILE = "import.json"
PULUMI_YAML = "Pulumi.yaml"
GITIGNORE = ".gitignore"
REQUIREMENTS = "requirements.txt"
"""Installs this package, and so the plugin."""


@dataclass(frozen=True)
class Project:
    """The content of the files.

    Attributes:
        name: Name of the project.
        steps: The statements of its program.
        objects: The objects that they declare.
    """

    name: str
    steps: Sequence[Step]
    objects: Sequence[Found]

    @property
    def comments(self) -> list[str]:
        """The comments at the top of the program."""
        lines = ["Written by `clouddb export`. Import the objects before the first `pulumi up`, or it creates others."]
        resources, kinds = _schema()["resources"], dict.fromkeys(each.kind for each in self.objects)
        for kind in kinds:
            type_ = RESOURCES[kind].type
            unread = [name for name in type_.unanswered if name in resources[type_.token]["inputProperties"]]
            if unread:
                names = ", ".join(unread)
                lines.append(f"No server returns these secrets of {with_article(kind)}, so they are not here: {names}.")
        if len(lines) > 1:
            lines.append(
                "They stay unchanged. To set one, run `pulumi config set --secret NAME`, and read it from there."
            )
        if USER_DEFINED_FUNCTION.name in kinds:
            lines.append(
                "No server returns the code of a UserDefinedFunction, so it is not here: files, archive. It stays "
                "unchanged."
            )
        return lines


def _schema() -> Json:
    schema: Json = json.loads(schema_text())
    return schema


def can_refer(language: Language) -> Callable[[Ref], bool]:
    """Return a function that returns whether a language can write a reference."""
    return yaml.can_refer if language == Language.YAML else lambda _: True


def files(language: Language, project: Project) -> Mapping[str, str]:
    """Return the text of each file except the import file, by name."""
    # The import file may contain secrets, and a temporary file beside it has a similar name.
    ignored = [f"/{IMPORT_FILE}", f"/.{IMPORT_FILE}.*", *_GENERATED[language]]
    package = {REQUIREMENTS: installed_from().text}
    return {**package, **_WRITERS[language](project), GITIGNORE: "".join(f"{line}\n" for line in ignored)}


def import_file(language: Language, project: Project) -> str:
    """Return the text of the import file."""
    document = dynamic_document if language == Language.PYTHON else native_document
    return import_text(document(project.objects))


def project_name(text: str) -> str:
    """Convert a text to the name of a project."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:100] or "clouddb-export"


def _pulumi_yaml(project: Project, runtime: str) -> str:
    head = {"name": project.name, "description": "Objects exported from the servers.", "runtime": runtime}
    return yaml.dumped(head) + "\n"


def _python(project: Project) -> Mapping[str, str]:
    return _python_files(project, IMPORT, native=False)


def _python_plugin(project: Project) -> Mapping[str, str]:
    requirements = f"{installed_from().text}pulumi>=3,<4\nsdks/clouddb\n"
    return {**_python_files(project, NATIVE_IMPORT, native=True), REQUIREMENTS: requirements}


def _python_files(project: Project, head: str, *, native: bool) -> Mapping[str, str]:
    comments = "\n".join(f"# {line}" for line in project.comments)
    schema = _schema()
    modules = modules_of(
        project.steps,
        lambda steps, imports: python_program(steps, schema, head, native=native, between="\n\n", imports=imports),
    )
    main = modules["__main__"]
    return {
        PULUMI_YAML: _pulumi_yaml(project, "python"),
        **{f"{name}.py": f"{text}\n" for name, text in modules.items()},
        "__main__.py": f"{comments}\n\n{main}\n",
    }


def _typescript(project: Project) -> Mapping[str, str]:
    comments = "\n".join(f"// {line}" for line in project.comments)
    program = typescript_program(project.steps, _schema(), between="\n\n")
    package = {
        "name": project.name.lower(),
        "private": True,
        "main": "index.ts",
        "dependencies": {"@clouddb/pulumi": "file:sdks/clouddb", "@pulumi/pulumi": "^3.142.0"},
        "devDependencies": {"@types/node": "^20", "typescript": "^5.0.0"},
    }
    options = {
        "target": "ES2020",
        "module": "CommonJS",
        "moduleResolution": "node",
        "strict": True,
        "outDir": "bin",
        "sourceMap": True,
        "forceConsistentCasingInFileNames": True,
    }
    return {
        PULUMI_YAML: _pulumi_yaml(project, "nodejs"),
        "index.ts": f"{comments}\n\n{program}\n",
        "package.json": json.dumps(package, indent=4) + "\n",
        "tsconfig.json": json.dumps({"compilerOptions": options, "files": ["index.ts"]}, indent=4) + "\n",
    }


def _yaml(project: Project) -> Mapping[str, str]:
    comments = "\n".join(f"# {line}" for line in project.comments)
    return {PULUMI_YAML: f"{comments}\n{_pulumi_yaml(project, 'yaml')}\n{yaml.yaml_resources(project.steps)}\n"}


_WRITERS: Mapping[Language, Callable[[Project], Mapping[str, str]]] = {
    Language.PYTHON: _python,
    Language.PYTHON_PLUGIN: _python_plugin,
    Language.YAML: _yaml,
    Language.TYPESCRIPT: _typescript,
}

_GENERATED: Mapping[Language, Sequence[str]] = {
    Language.PYTHON: ("__pycache__/", ".venv/", "venv/"),
    Language.PYTHON_PLUGIN: ("__pycache__/", ".venv/", "venv/", "build/", "*.egg-info/"),
    Language.YAML: (".venv/",),
    Language.TYPESCRIPT: ("node_modules/", "bin/", ".venv/"),
}
"""Generated files of each language; the SDK in sdks/ belongs to the project, so that no other machine generates it."""
