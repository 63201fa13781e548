"""The reference pages in docs/reference/, generated from schema.json and behaviour/."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from pydantic.alias_generators import to_snake

from pulumi_clouddb.client.collection import Collection
from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.resource.base import AnyCollection
from pulumi_clouddb.schema.config import environment_name

from .names import NOTICE, Json, base_name, examples_of, import_commands, named_type, prose, reachable

BEHAVIOUR = Path(__file__).with_name("behaviour")
"""The folder with the hand-written part of the pages: `service.md` is in that of Service, with its links."""

_LANGUAGES = {"Python": "python", "TypeScript": "typescript", "Go": "go", "Java": "java", "YAML": "yaml"}
_NOTE = re.compile(
    r"(?P<text>.*?) ?(?:API (?:field|path|query): (?P<api>.*)|(?P<none>Not sent|Kept in state)\b.*)\.$", re.DOTALL
)
_ABOUT_FUNCTIONS = (
    "Functions only read. In Python, the first form accepts and returns plain values; the second also accepts "
    "outputs of resources, and returns an output. Secret fields of a result are secret outputs."
)
_ABOUT_CONFIGURATION = (
    "A value comes from the stack's configuration, else from the environment, else it is the default. Set secrets in "
    "the stack's configuration with `--secret`, or in the environment. [The real cloud](../real-cloud.md) and "
    "[self-hosted](../self-hosted.md) describe where to find the values."
)
_ABOUT_CHECKS = (
    "A preview lists all missing and misspelt settings. It does not check whether a server is reachable and "
    "accepts the key: [`clouddb doctor`](../doctor.md) does, and so does `clouddb ci preview`. Credentials are sent "
    "only to the address of their own setting. Loopback addresses are never reached through a proxy; others are, if "
    "`HTTPS_PROXY` is set."
)
_ONLY_IN_THE_ENVIRONMENT = (
    "Two settings exist in the environment only: `CLOUDDB_JOURNAL`, the folder of "
    "[pending creates](../reliability.md#how-a-create-works), here or [in a bucket](../beyond-one-machine.md), and "
    "`CLOUDDB_DEBUG=1`, which [prints the HTTP requests](../troubleshooting.md#see-the-http-requests) and tracebacks."
)
_ABOUT_REFERENCE = (
    "Every resource and function with examples, inputs, outputs, limits and allowed values. The pages are generated "
    "from the same models that check programs, so a limit on a page is the limit that a preview applies. "
    "*API* names the field of the API where it has another name than the property."
)
_ABOUT_OPERATIONS = (
    "Every request that the provider can send. *Documented* operations are sent exactly as the interface documents "
    "them; the others are *inferred* from the vendor's own servers. On a server that offers only the documented "
    "operations, these work, and the others [fail with an explanation or are "
    "skipped](../how-it-behaves.md#servers-that-offer-less). Paths are those of the `neutral` dialect. `clouddb:paths` "
    "overrides a path by the operation's name."
)
_REPLACED = "A change of a property that cannot change in place creates a new object and deletes the old one."
_REFUSED = f"{_REPLACED} It is refused unless `allowReplacement` is set."
_ABOUT_NAMES = "Names are those of YAML and TypeScript; Python writes `{wire}` as `{python}`."
_ABOUT_CLASSES = (
    "In Python the type [{name}](#{anchor}) is `clouddb.{name}Args`, in which type checkers report a mistake in one "
    "line, or a dict; a variable with a dict needs the type `clouddb.{name}ArgsDict`."
)


def pages(schema: Json) -> dict[str, str]:
    """Return the text of each page by its name in docs/reference/."""
    texts = {
        "index.md": _index(schema),
        "configuration.md": _configuration(schema),
        "operations.md": _operations(),
    }
    for token, spec in schema["functions"].items():
        texts[f"functions/{to_snake(base_name(token))}.md"] = _function(base_name(token), spec, schema)
    for token, spec in schema["resources"].items():
        texts[f"{to_snake(base_name(token))}.md"] = _resource(base_name(token), spec, schema)
    return texts


_GUIDES = {
    "Alert": (
        "Set `channel` for one receiver. For several, set `channels`, and leave `channel` out.",
        "[From a notification to the program](../finding.md) tells what a notification links to.",
    ),
    "Dashboard": (
        "Set `config` of a tile. `series` is for servers of the [neutral dialect](../neutral-dialect.md).",
        "[Dashboards from files](../dashboards-from-files.md) uses what the server's page exports.",
    ),
    "Pipe": (
        "Set the size of a pipe with its `scaling`. [PipeScaling](pipe_scaling.md) is for pipes of others.",
        "All database pipes of a service share one size: that of [PipeCdcScaling](pipe_cdc_scaling.md).",
    ),
    "PipeScaling": ("If this program creates the pipe, set `scaling` of the [Pipe](pipe.md) instead.",),
    "PrivateEndpoint": (
        "Set `serviceId`: it also attaches the endpoint.",
        "`privateEndpointIds` of a [Service](service.md) attaches one that is registered already.",
    ),
    "Service": (
        "Set `deletionProtection` for a database that others need. Pulumi's `protect` works for every resource.",
        "Add a private endpoint with [PrivateEndpoint](private_endpoint.md).",
        "`privateEndpointIds` attaches one that is registered already.",
    ),
}
"""Which of two ways a new user should take, and the guides for a resource."""


def _page(title: str, blocks: Iterable[str], source: str = "schema.json") -> str:
    return "\n\n".join([f"<!-- {NOTICE.format(source)} -->", f"# {title}", *blocks]) + "\n"


def _resource(name: str, spec: Json, schema: Json) -> str:
    inputs, outputs = spec["inputProperties"], spec["properties"]
    server = {key: each for key, each in outputs.items() if _type(each) != _type(inputs.get(key, {}))}
    state = spec.get("stateInputs", {}).get("properties", {})
    camel = [key for key in inputs if key != to_snake(key)][:1]
    nested = [each for key in inputs for each in [*reachable([inputs[key]], schema)][-1:] if _is_object(each, schema)][
        :1
    ]
    beside = "".join(f', {to_snake(key)}="…"' for key in state)
    why = f" If needed, also pass {', '.join(f'`{key}`' for key in state)}." if state else ""
    return _page(
        name,
        [
            prose(spec),
            f"Type `clouddb:index:{name}`; in Python `clouddb.{name}`.",
            *_GUIDES.get(name, ()),
            "## Examples",
            *_examples(spec, slice(1)),
            *_behaviour(name),
            *_more_examples(spec),
            "## Inputs",
            *(_ABOUT_NAMES.format(wire=key, python=to_snake(key)) for key in camel),
            *(_ABOUT_CLASSES.format(name=each, anchor=each.lower()) for each in nested),
            _table(inputs, spec["requiredInputs"]),
            *_replacing(inputs),
            "## Outputs",
            "Every input is also an output of the same name. Other outputs, and outputs with another type:",
            _table(server, ()),
            "## Reading an existing object",
            f'```python\nfound = clouddb.{name}.get("found", "<id>"{beside})\n```',
            f"Pulumi reads the object and never changes or deletes it.{why}",
            "## Import",
            import_commands(spec),
            "These commands need the native plugin; see [importing](../importing.md) for dynamic mode.",
            "## Requests",
            "The API's operations on these objects. [Operations](operations.md) lists those of all resources.",
            _requests(RESOURCES[name].collection),
            *_left_out(RESOURCES[name].collection),
            *_types([inputs, server], schema),
        ],
    )


def _function(name: str, spec: Json, schema: Json) -> str:
    arguments, result = spec["inputs"]["properties"], spec["outputs"]["properties"]
    return _page(
        name,
        [
            prose(spec),
            f"In Python `clouddb.{to_snake(name)}(...)` or `clouddb.{to_snake(name)}_output(...)`.",
            _ABOUT_FUNCTIONS,
            "## Examples",
            *_examples(spec, slice(None)),
            "## Arguments",
            _table(arguments, spec["inputs"]["required"]),
            "## Result",
            _table(result, ()),
            *_types([arguments, result], schema),
        ],
    )


def _replacing(inputs: Mapping[str, Json]) -> list[str]:
    """Return the paragraph about inputs that cannot change in place, if there are any."""
    names = ", ".join(f"`{name}`" for name, spec in inputs.items() if spec.get("willReplaceOnChanges"))
    return (
        [f"Cannot change in place: {names}. {_REFUSED if 'allowReplacement' in inputs else _REPLACED}"] if names else []
    )


def _requests(collection: AnyCollection) -> str:
    rows = [[f"`{each.name}`", _source(each), f"`{each.method} {each.path}`"] for each in collection.operations()]
    return table(["Operation", "Source", "Request"], rows)


def _left_out(collection: AnyCollection) -> list[str]:
    """Return the paragraph about fields that lists leave out, if there are any."""
    names = ", ".join(f"`{name}`" for name in collection.not_listed)
    some = " that may have it" if collection.lacks_inputs is not Collection.lacks_inputs else ""
    reading = "" if collection.lists_inputs() else f", so a refresh also reads each object{some} by its id"
    return [f"Lists leave out {names}{reading}."] if names else []


def _source(operation: Operation) -> str:
    return "documented" if operation.documented else "inferred"


def _index(schema: Json) -> str:
    resources = [
        [f"[{name}]({to_snake(name)}.md)", _first_sentence(spec)]
        for name, spec in ((base_name(token), spec) for token, spec in schema["resources"].items())
    ]
    functions = [
        [f"[{name}](functions/{to_snake(name)}.md)", _first_sentence(spec)]
        for name, spec in ((base_name(token), spec) for token, spec in schema["functions"].items())
    ]
    others = [
        "[Configuration](configuration.md): the settings of the provider.",
        "[Operations](operations.md): the requests that it sends.",
        "[Policies](../policies.md): the rules of the policy pack.",
    ]
    return _page(
        "Reference",
        [
            _ABOUT_REFERENCE,
            "\n".join(f"- {line}" for line in others),
            "## Resources",
            table(["Resource", "Description"], resources),
            "## Functions",
            table(["Function", "Description"], functions),
        ],
    )


def _first_sentence(spec: Json) -> str:
    return prose(spec).partition("\n")[0].partition(". ")[0].removesuffix(".") + "."


def _operations() -> str:
    rows = [
        [
            f"`{name}`",
            each.server_kind.value,
            _source(each),
            each.only.value if each.only else "both",
            f"`{each.method} {each.path}`",
        ]
        for name, each in OPERATIONS.items()
    ]
    head = ["Operation", "Server", "Source", "Dialect", "Request"]
    return _page("Operations", [_ABOUT_OPERATIONS, table(head, rows)], source="the operations")


def settings(schema: Json) -> str:
    """Return a table of the provider's settings."""
    variables = schema["config"]["variables"]
    rows = [
        [_named(f"clouddb:{name}", spec), f"{_meaning(name, spec)} Environment: `{environment_name(name)}`."]
        for name, spec in variables.items()
    ]
    return table(["Key", "Meaning"], rows)


def _configuration(schema: Json) -> str:
    variables = schema["config"]["variables"]
    secrets = [name for name, spec in variables.items() if spec.get("secret")]
    return _page(
        "Configuration",
        [
            _ABOUT_CONFIGURATION,
            "```sh\npulumi config set clouddb:organizationId <uuid>\npulumi config set clouddb:keyId <key id>\n"
            + "\n".join(f"pulumi config set --secret clouddb:{name} <value>" for name in secrets)
            + "\n```",
            settings(schema),
            _ABOUT_CHECKS,
            _ONLY_IN_THE_ENVIRONMENT,
            *_types([variables], schema),
        ],
    )


def _behaviour(name: str) -> list[str]:
    """Return what people wrote about a resource, if they did."""
    file = BEHAVIOUR / f"{to_snake(name)}.md"
    if not file.is_file():
        return []
    notice = f"<!-- From tools/codegen/behaviour/{file.name}. -->"
    return ["## How it behaves", notice, file.read_text(encoding="utf-8").rstrip()]


def _more_examples(spec: Json) -> list[str]:
    """Return the examples after the first one, which stands above the text about the resource."""
    more = _examples(spec, slice(1, None))
    return ["## More examples", *more] if more else []


def _examples(spec: Json, some: slice) -> list[str]:
    """Return some of the examples, each in all languages."""
    titles = [title for title, _ in examples_of(spec, "python")][some]
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
        [_named(name, spec, " **(required)**" if name in must else ""), _meaning(name, spec)]
        for name, spec in sorted(properties.items(), key=lambda item: item[0] not in must)
    ]
    return table(["Property", "Meaning"], rows)


def _named(name: str, spec: Json, note: str = "") -> str:
    """Return a name above its type: a column for types would leave the meaning too little room."""
    return f"`{name}`{note}<br>{_type(spec)}"


def _meaning(name: str, spec: Json) -> str:
    """Return the meaning of a property, and its part of the API if that has another name."""
    note = _NOTE.fullmatch(spec["description"])
    text, api = (note["text"], note["api"] or note["none"].lower()) if note else (spec["description"], "")
    if "deprecationMessage" in spec:
        text += f" *Deprecated: {spec['deprecationMessage']}.*"
    if spec.get("secret"):
        text += " *Secret.*"
    if spec.get("willReplaceOnChanges"):
        text += " *Cannot change in place.*"
    return text if api in ("", f"`{name}`") else f"{text} API: {api}."


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _is_object(name: str, schema: Json) -> bool:
    return "properties" in named_type(schema, name)


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
    """Return a section for each type to which the properties refer."""
    blocks = []
    for name in sorted(reachable(roots, schema)):
        spec = named_type(schema, name)
        values = ", ".join(f"`{each['value']}`" for each in spec.get("enum", []))
        content = f"One of {values}." if values else _table(spec["properties"], spec["required"])
        blocks += [f"### {name}", spec["description"], content]
    return ["## Types", *blocks] if blocks else []
