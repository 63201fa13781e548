"""What the site needs beyond docs/: pages of the repository's root, the files that pages link to, tabs, navigation.

The pages are written for GitHub and the site at once. Where a link leads out of docs/, it names a file of the project:
the site shows such a file on a page of its own, which the search leaves out.
"""

from __future__ import annotations

import posixpath
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]

ROOT_PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Pages of the repository's root, and where they are on the site."""

SHOWN = "repository"
"""The folder of the site with the files that pages link to."""

LANGUAGES = {
    ".py": "python",
    ".ts": "typescript",
    ".go": "go",
    ".java": "java",
    ".xml": "xml",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".json": "json",
    "": "text",
}
"""Suffixes of files that are shown; other files and large files are only named."""

LARGEST_BYTES = 60_000

LISTS = {"changelog.md", "policies.md", "reference/operations.md"}
"""Pages that name nearly everything, and explain little of it."""

INSIDE = "For contributors"
"""The section of the navigation for people who work on this package."""

_LINK = re.compile(r"(?P<start>\]\()(?!https?:|mailto:|#)(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_EXAMPLES = re.compile(
    r"```python\n(?P<python>[^`]*)\n```(?P<others>(?:\n\n<details>\n<summary>\w+</summary>\n\n```\w+\n.*?\n```\n\n</details>)+)",
    re.DOTALL,
)
_OTHER = re.compile(r"<summary>(?P<name>\w+)</summary>\n\n(?P<code>```\w+\n.*?\n```)\n\n</details>", re.DOTALL)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the generated pages of the reference into the navigation."""
    reference = ROOT / "docs" / "reference"
    titles = {path: _title(path) for path in sorted(reference.rglob("*.md"))}
    general = {"index.md", "configuration.md", "operations.md"}
    resources = [path for path in titles if path.parent == reference and path.name not in general]
    functions = [path for path in titles if path.parent != reference]
    entries: list[Any] = [
        "reference/index.md",
        {"Configuration": "reference/configuration.md"},
        {"Operations": "reference/operations.md"},
        {"Policies": "policies.md"},
        {"Resources": [{titles[path]: _in_docs(path)} for path in resources]},
        {"Functions": [{titles[path]: _in_docs(path)} for path in functions]},
    ]
    config.nav = [{"Reference": entries} if "Reference" in each else each for each in config.nav or ()]
    return config


def _title(path: Path) -> str:
    heading = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return heading[1] if heading else path.stem


def _in_docs(path: Path) -> str:
    return path.relative_to(ROOT / "docs").as_posix()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the repository's root, and every file that a page links to."""
    for name, uri in ROOT_PAGES.items():
        files.append(File.generated(config, uri, content=(ROOT / name).read_text(encoding="utf-8")))
    texts = [*ROOT_PAGES, *(f"docs/{file.src_uri}" for file in files.documentation_pages() if file.abs_src_path)]
    while texts:
        page = texts.pop()
        for target in _linked((ROOT / page).read_text(encoding="utf-8"), page):
            uri = uri_of(target)
            if uri.startswith(f"{SHOWN}/") and not files.get_file_from_path(uri):
                files.append(File.generated(config, uri, content=_shown(target)))
                readme = ROOT / target / "README.md"
                texts += [readme.relative_to(ROOT).as_posix()] if readme.is_file() else []
    return files


def _linked(text: str, page: str) -> Iterator[str]:
    """Yield the paths in the repository to which a page links."""
    for link in _LINK.finditer(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(page), link["target"]))


def uri_of(target: str) -> str:
    """Return the location of a repository file or folder on the site.

    Args:
        target: Its path in the repository.
    """
    if target in ROOT_PAGES:
        return ROOT_PAGES[target]
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return f"{SHOWN}/{target}.md"


def _shown(target: str) -> str:
    """Return the page that shows a file or a folder of the repository."""
    path = ROOT / target
    head = "---\nsearch:\n  exclude: true\n---\n\n"
    if path.is_file():
        return f"{head}# `{target}`\n\n{_code(path)}"
    readme = path / "README.md"
    if readme.is_file():
        return head + readme.read_text(encoding="utf-8")
    names = sorted(each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    blocks = [f"## `{each.relative_to(path).as_posix()}`\n\n{_code(each)}" for each in names]
    return "\n\n".join([f"{head}# `{target}`", *blocks])


def _code(path: Path) -> str:
    if path.suffix not in LANGUAGES or path.stat().st_size > LARGEST_BYTES:
        return f"{path.stat().st_size:,} bytes, in the repository only."
    return f"````{LANGUAGES[path.suffix]}\n{path.read_text(encoding='utf-8').rstrip()}\n````"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Convert links to pages of the site and examples to tabs, and set the weight of the page in the search."""
    page.meta.setdefault("search", {"boost": _boost(page)})
    return _EXAMPLES.sub(_tabs, with_links(markdown, page.file.src_uri))


def _boost(page: Page) -> float:
    """Return by how much the search prefers a page: lists and pages of contributors come below all others."""
    folder, _, _ = page.file.src_uri.rpartition("/")
    if page.file.src_uri in LISTS or (page.parent and page.parent.title == INSIDE):
        return 0.03
    return {"reference": 1.3, "reference/functions": 0.3}.get(folder, 1)


def on_post_build(config: MkDocsConfig) -> None:
    """Put search.js before the search worker of the theme."""
    (worker,) = (Path(config.site_dir) / "assets" / "javascripts" / "workers").glob("search.*.js")
    ours = Path(__file__).with_name("search.js").read_text(encoding="utf-8")
    worker.write_text(ours + worker.read_text(encoding="utf-8"), encoding="utf-8")


def with_links(markdown: str, uri: str) -> str:
    """Return the text of a page with links that are valid on the site.

    Args:
        markdown: Its text as it is in the repository.
        uri: Where it is on the site.
    """
    source = _source_of(uri)

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found["target"]))
        relative = posixpath.relpath(uri_of(target), posixpath.dirname(uri) or ".")
        return f"{found['start']}{relative}{found['anchor'] or ''})"

    return _LINK.sub(link, markdown)


def _source_of(uri: str) -> str:
    """Return the path in the repository of a page of the site."""
    for name, there in ROOT_PAGES.items():
        if uri == there:
            return name
    if not uri.startswith(f"{SHOWN}/"):
        return f"docs/{uri}"
    target = uri.removeprefix(f"{SHOWN}/").removesuffix(".md")
    return f"{target}/README.md" if (ROOT / target / "README.md").is_file() else target


def _tabs(found: re.Match[str]) -> str:
    """Return tabs instead of the folded examples for GitHub."""
    programs = {"Python": f"```python\n{found['python']}\n```"}
    programs.update({each["name"]: each["code"] for each in _OTHER.finditer(found["others"])})
    return "\n\n".join(f'=== "{name}"\n\n{textwrap.indent(code, "    ")}' for name, code in programs.items())
