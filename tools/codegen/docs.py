"""The reference pages in docs/reference/, written from schema.json for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic.alias_generators import to_snake

from pulumi_clouddb.schema.config import environment_name

from .names import NOTICE, base_name, examples_of, import_commands, named_type, prose, reachable

Json = dict[str, Any]

_LANGUAGES = {"Python": "python", "TypeScript": "typescript", "YAML": "yaml"}
_NOTE = re.compile(
    r"(?P<text>.*?) ?(?:API (?:field|path|query): (?P<api>.*)|(?P<none>Not sent|Kept in state)\b.*)\.$", re.DOTALL
)
_ABOUT_FUNCTIONS = (
    "Functions read and never write. In Python each function has two forms: `get_pipe(...)` takes plain values and "
    "returns plain values, `get_pipe_output(...)` also takes outputs of resources and returns an output. Secret fields "
    "of a result are secret outputs."
)
_ABOUT_CONFIGURATION = (
    "A value comes from the stack's configuration, else from the environment, else it is the default. Set secrets in "
    "the stack's configuration with `--secret`, or in the environment."
)
_REPLACED = "A change of a property that cannot change in place creates a new object and deletes the old one."
_REFUSED = f"{_REPLACED} It is refused unless `allowReplacement` is set."
_ABOUT_NAMES = "Names are those of YAML and TypeScript; Python writes `{wire}` as `{python}`."


def pages(schema: Json) -> dict[str, str]:
    """Return the text of each page by its name in docs/reference/."""
    texts = {"configuration.md": _configuration(schema), "functions.md": _functions(schema)}
    for token, spec in schema["resources"].items():
        texts[f"{to_snake(base_name(token))}.md"] = _resource(base_name(token), spec, schema)
    return texts


def _page(title: str, blocks: Iterable[str]) -> str:
    return "\n\n".join([f"<!-- {NOTICE.format('schema.json')} -->", f"# {title}", *blocks]) + "\n"


def _resource(name: str, spec: Json, schema: Json) -> str:
    inputs, outputs = spec["inputProperties"], spec["properties"]
    server = {key: each for key, each in outputs.items() if _type(each) != _type(inputs.get(key, {}))}
    state = spec.get("stateInputs", {}).get("properties", {})
    camel = [key for key in inputs if key != to_snake(key)][:1]
    beside = "".join(f', {to_snake(key)}="…"' for key in state)
    why = f" If needed, also pass {', '.join(f'`{key}`' for key in state)}." if state else ""
    return _page(
        name,
        [
            prose(spec),
            f"Type `clouddb:index:{name}`; in Python `clouddb.{name}`.",
            "## Examples",
            *_examples(spec),
            "## Inputs",
            *(_ABOUT_NAMES.format(wire=key, python=to_snake(key)) for key in camel),
            _table(inputs, spec["requiredInputs"]),
            _REFUSED if "allowReplacement" in inputs else _REPLACED,
            "## Outputs",
            "Every input is also an output of the same name. These outputs are additional, or have another type:",
            _table(server, ()),
            "## Reading an existing object",
            f'```python\nfound = clouddb.{name}.get("found", "<id>"{beside})\n```',
            f"Pulumi reads the object and never changes or deletes it.{why}",
            "## Import",
            import_commands(spec),
            "These commands need the native plugin; see [importing](../importing.md) for dynamic mode.",
            *_types([inputs, server], schema),
        ],
    )


def _functions(schema: Json) -> str:
    specs = {base_name(token): spec for token, spec in schema["functions"].items()}
    blocks = [_ABOUT_FUNCTIONS, "\n".join(f"- [{name}](#{name.lower()})" for name in specs)]
    for name, spec in specs.items():
        blocks += [f"## {name}", prose(spec), *_examples(spec)]
        blocks += ["### Arguments", _table(spec["inputs"]["properties"], spec["inputs"]["required"])]
        blocks += ["### Result", _table(spec["outputs"]["properties"], ())]
    objects = [spec[part]["properties"] for part in ("inputs", "outputs") for spec in specs.values()]
    return _page("Functions", [*blocks, *_types(objects, schema)])


def _configuration(schema: Json) -> str:
    variables = schema["config"]["variables"]
    rows = [
        [
            f"`clouddb:{name}`",
            f"`{environment_name(name)}`",
            _type(spec),
            meaning(spec),
        ]
        for name, spec in variables.items()
    ]
    secrets = [name for name, spec in variables.items() if spec.get("secret")]
    return _page(
        "Configuration",
        [
            _ABOUT_CONFIGURATION,
            "```sh\npulumi config set clouddb:organizationId <uuid>\npulumi config set clouddb:keyId <key id>\n"
            + "\n".join(f"pulumi config set --secret clouddb:{name} <value>" for name in secrets)
            + "\n```",
            table(["Key", "Environment", "Type", "Meaning"], rows),
            *_types([variables], schema),
        ],
    )


def _examples(spec: Json) -> list[str]:
    """Return the examples, each in all languages."""
    titles = [title for title, _ in examples_of(spec, "python")]
    programs = {language: dict(examples_of(spec, fence)) for language, fence in _LANGUAGES.items()}
    blocks = []
    for title in titles:
        blocks.append(f"### {title}")
        for language, fence in _LANGUAGES.items():
            code = f"```{fence}\n{programs[language][title]}\n```"
            folded = f"<details>\n<summary>{language}</summary>\n\n{code}\n\n</details>"
            blocks.append(code if language == "Python" else folded)
    return blocks


def _table(properties: Mapping[str, Json], required: Iterable[str]) -> str:
    if not properties:
        return "None."
    must = set(required)
    rows = [
        [f"`{name}`" + (" **(required)**" if name in must else ""), _type(spec), *_meaning(spec)]
        for name, spec in sorted(properties.items(), key=lambda item: item[0] not in must)
    ]
    return table(["Property", "Type", "Meaning", "API"], rows)


def _meaning(spec: Json) -> tuple[str, str]:
    """Return the meaning of a property, and its part of the API."""
    found = _NOTE.fullmatch(spec["description"])
    text, api = (found["text"], found["api"] or found["none"].lower()) if found else (spec["description"], "")
    if "deprecationMessage" in spec:
        text += f" *Deprecated: {spec['deprecationMessage']}.*"
    if spec.get("secret"):
        text += " *Secret.*"
    if spec.get("willReplaceOnChanges"):
        text += " *Cannot change in place.*"
    return text, api


def meaning(spec: Json) -> str:
    """Return the meaning of a configuration key."""
    return f"{spec['description']}{' *Secret.*' if spec.get('secret') else ''}"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _type(spec: Json) -> str:
    if "oneOf" in spec:
        return ", ".join(_type(choice) for choice in spec["oneOf"])
    if spec.get("$ref", "").startswith("#/types/"):
        name = base_name(spec["$ref"])
        return f"[{name}](#{name.lower()})"
    if spec.get("type") == "array":
        return f"list of {_type(spec['items'])}"
    if spec.get("type") == "object":
        return f"map of {_type(spec['additionalProperties'])}"
    return str(spec.get("type", "any"))


def _types(roots: Iterable[Json], schema: Json) -> list[str]:
    """Return a section for each type that the properties above it refer to."""
    blocks = []
    for name in sorted(reachable(roots, schema)):
        spec = named_type(schema, name)
        values = ", ".join(f"`{each['value']}`" for each in spec.get("enum", []))
        content = f"One of {values}." if values else _table(spec["properties"], spec["required"])
        blocks += [f"### {name}", spec["description"], content]
    return ["## Types", *blocks] if blocks else []
