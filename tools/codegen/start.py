"""Start a resource from the one that it is most like, such as `python -m codegen.start IpAccessList --like Role`.

It copies thing, part of the sandbox, examples and life under the new name, and adds the line of the registry. Above
everything that the new resource may not have, such as each field, it writes a line that begins with `# From Role: `;
tests/generator/test_parts.py names these lines until somebody has replaced what is below, and deleted them.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic.alias_generators import to_camel, to_pascal, to_snake

from pulumi_clouddb.registry import HANDLERS
from pulumi_clouddb.schema.resource_type import in_words, with_article

ROOT = Path(__file__).parents[2]
REGISTRY = "provider/pulumi_clouddb/registry.py"
MARKED = re.compile(r"^\s*# From (\w+): (.+)$", re.MULTILINE)
"""A line above something that is still that of another resource."""

DERIVED = {"model", "body", "id_part", "type", "collection", "functions", "ONE"}
"""What is right with the new names alone; operations, too, have only names and paths."""


def folder_of(name: str) -> str:
    """Return the name of the folder of a resource in things/, which is that of its objects.

    Raises:
        ValueError: There is no such resource, or its folder has others, too.
    """
    folders = [handler.partition(".")[0] for handler in HANDLERS.values()]
    folder = HANDLERS.get(name, "").partition(".")[0]
    if not folder or folders.count(folder) > 1:
        raise ValueError(f"{name} is not a resource with a folder of its own: see the table in CONTRIBUTING.md")
    return folder


def files_of(name: str) -> Iterator[Path]:
    """Yield the files of a resource that are copied, within `ROOT`."""
    folder = folder_of(name)
    yield from sorted((ROOT / "provider/pulumi_clouddb/things" / folder).glob("*.py"))
    for file in (
        f"provider/clouddb_tools/sandbox/{folder}.py",
        f"tools/codegen/examples/{to_snake(name)}.py",
        f"tests/provider/things/{folder}/life.py",
    ):
        if (ROOT / file).exists():
            yield ROOT / file


def marks_in(files: Iterable[Path]) -> Iterator[str]:
    """Yield the place of each line that a copy has marked, and what is below it."""
    for file in files:
        text = file.read_text(encoding="utf-8")
        for found in MARKED.finditer(text):
            line = text.count("\n", 0, found.end()) + 1
            yield f"{file.relative_to(ROOT).as_posix()}:{line}: {found[2]} is that of {found[1]}"


class Names:
    """The names of a resource and of its objects, and those that replace them.

    Args:
        old: The resource that is copied, and the name of its folder.
        new: The other one, and the name of its folder.
    """

    def __init__(self, old: tuple[str, str], new: tuple[str, str]) -> None:
        self._names: dict[str, str] = {}
        self._camel: dict[str, str] = {}
        self._words: dict[str, str] = {}
        for one, other in zip(map(to_snake, old), map(to_snake, new), strict=True):
            self._camel |= {to_camel(one): to_camel(other)}
            self._names |= {to_pascal(one): to_pascal(other), one.replace("_", "-"): other.replace("_", "-")}
            self._names |= {one: other, one.upper(): other.upper()}
            for words in (in_words(one), one.replace("_", " ")):
                self._words |= {words: in_words(other), _capital(words): _capital(in_words(other))}
        self._known = rf"(?<![A-Za-z])(?:{_any({**self._names, **self._camel})})(?![a-z])"
        self._pascal = rf"(?:{_any(to_pascal(each) for each in map(to_snake, old))})(?![a-z])"

    def in_name(self, text: str) -> str:
        """Return a name of Python, or a path, with the new names."""
        return re.sub(rf"{self._known}|(?<=[a-z]){self._pascal}", lambda found: self._name(found, "_"), text)

    def in_text(self, text: str) -> str:
        """Return a literal or a comment with the new names, and the articles of new words."""
        words = rf"\b(an? )?(?<![\w/.-])(?<!['\"](?=\w+['\".]))({_any(self._words)})(?![\w-])"
        text = re.sub(words, self._in_words, text, flags=re.IGNORECASE)
        functions = rf"(?:(?<=get)|(?<=list)){self._pascal}"
        return re.sub(rf"{self._known}|{functions}", lambda found: self._name(found, "camel"), text)

    def _name(self, found: re.Match[str], usual: str) -> str:
        """Return a new name; a single word is a part of a name in snake case beside `_`, and else as it is `usual`."""
        old, around = found[0], found.string[max(found.start() - 1, 0) : found.end() + 1]
        is_snake = "_" in around or (usual == "_" and not around[-1].isupper())
        first, second = (self._names, self._camel) if is_snake else (self._camel, self._names)
        return first.get(old) or second[old]

    def _in_words(self, found: re.Match[str]) -> str:
        words = self._words.get(found[2])
        if words is None:
            return found[0]
        return found[1][0] + with_article(words)[1:] if found[1] else words


def _any(texts: Iterable[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(texts, key=len, reverse=True))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def renamed(text: str, names: Names, folder: str) -> str:
    """Return a module with new names, except for those that it imports from outside of its own modules."""
    kept, starts, done = {*imported_names(ast.parse(text), folder)}, [0, 0], 0
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parts = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        first, last = (starts[row] + column for row, column in (token.start, token.end))
        new = names.in_name(token.string) if token.type == tokenize.NAME else names.in_text(token.string)
        # Since Python 3.12 a part of an f-string with `{{` is another text than its place.
        if token.string and token.string not in kept and token.string == text[first:last]:
            parts += [text[done:first], new]
            done = last
    return "".join([*parts, text[done:]])


def imported_names(tree: ast.Module, folder: str) -> Iterator[str]:
    """Yield the names that a module imports from outside of the resource's own modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and folder not in str(node.module):
            yield from (each.name for each in node.names)


def marked(text: str, model: str) -> str:
    """Return the text of a module with a line above everything that the new resource may not have."""
    lines, places = text.splitlines(keepends=True), [*_places(ast.parse(text).body)]
    for number, indent, name in sorted(places, reverse=True):
        lines.insert(number - 1, f"{' ' * indent}# From {model}: {name}\n")
    return "".join(lines)


def _places(body: Iterable[ast.stmt]) -> Iterator[tuple[int, int, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not any(ast.unparse(base).endswith("Choice") for base in node.bases):
            if "OpenAPI: " in (ast.get_docstring(node) or ""):
                yield node.lineno, node.col_offset, f"the names in the text of {node.name}"
            yield from _places(node.body)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.col_offset, node.name
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            is_operation = isinstance(node.value, ast.Call) and "GET POST PUT PATCH DELETE".count(_method(node.value))
            is_derived = isinstance(node, ast.Assign) and isinstance(target, ast.Name) and target.id in DERIVED
            if isinstance(target, ast.Name) and not is_derived and not is_operation:
                yield node.lineno, node.col_offset, target.id


def _method(call: ast.Call) -> str:
    """Return the HTTP method that a call declares; a word that is none without one."""
    second = call.args[1] if len(call.args) > 1 else None
    return second.value if isinstance(second, ast.Constant) and isinstance(second.value, str) else "none"


def start(name: str, model: str, plural: str) -> list[Path]:
    """Write the files of a new resource, and return them.

    Raises:
        ValueError: There is a resource of this name already, or none of the model's.
    """
    old = folder_of(model)
    if name in HANDLERS or (ROOT / "provider/pulumi_clouddb/things" / plural).exists():
        raise ValueError(f"there is a resource {name} already, or a folder things/{plural}")
    names, written = Names((model, old), (name, plural)), []
    for file in files_of(model):
        text = file.read_text(encoding="utf-8")
        text = renamed(text, names, old)
        text = re.sub(r'^(PATH = .*")/[^"/]+"', rf'\1/{plural.replace("_", "-")}"', text, flags=re.MULTILINE)
        copy = ROOT / names.in_name(file.relative_to(ROOT).as_posix())
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(marked(text, model), encoding="utf-8")
        written.append(copy)
    registry = (ROOT / REGISTRY).read_text(encoding="utf-8")
    line = next(each for each in registry.splitlines(keepends=True) if each.startswith(f'    "{model}": '))
    (ROOT / REGISTRY).write_text(registry.replace(line, line + names.in_name(line)), encoding="utf-8")
    for options in (["check", "--quiet", "--fix", "--select=I"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *options, *map(str, written)], cwd=ROOT, check=False)  # noqa: S603
    return written


def plural_of(snake_name: str) -> str:
    """Return the usual plural of a name."""
    if snake_name.endswith("y") and snake_name[-2] not in "aeiou":
        return f"{snake_name[:-1]}ies"
    return f"{snake_name}es" if snake_name.endswith(("s", "x", "ch", "sh")) else f"{snake_name}s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Start a resource, and print what is left to do; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m codegen.start", description=__doc__)
    parser.add_argument("name", help="its name in programs, such as IpAccessList")
    parser.add_argument("--like", required=True, metavar="NAME", help="the resource to copy")
    parser.add_argument("--plural", help="its plural in snake case, such as ip_access_lists")
    given = parser.parse_args(arguments)
    try:
        written = start(given.name, given.like, given.plural or plural_of(to_snake(given.name)))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    for file in written:
        print(file.relative_to(ROOT).as_posix())
    print(f"Replace what is below each line `# From {given.like}: `, and delete the line. Then run `make generate`.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
