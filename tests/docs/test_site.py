"""The documentation site builds without warnings, loads no external files, and its search finds all names."""

from __future__ import annotations

import functools
import html
import json
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlparse

import pytest
import yaml

from codegen.names import base_name
from docsite import hooks
from pulumi_clouddb import errors
from support.schema import SCHEMA

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
ELSEWHERE = re.compile(
    r"<(?:script|img|iframe|source)[^>]+src=\"?(?:https?:)?//|<link[^>]+rel=\"?stylesheet[^>]+href=\"?https?://|url\(https?://"
)
REGISTRY = ("_index", "installation-configuration")
"""Pages for the Pulumi Registry are only for its site."""

DESKTOP, PHONE = 1280, 390
WIDEST = (".", "measurements", "reference/dashboard", "reference/operations", "troubleshooting", "architecture")
"""Pages with wide tables, long words or large pictures; the other pages are only checked on the narrower phone."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files without a log."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address of the served site."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_site_loads_no_external_files(site: Path) -> None:
    """Scripts, styles, fonts and pictures are part of the site."""
    for page in [*site.rglob("*.html"), *site.rglob("*.css")]:
        assert not ELSEWHERE.search(page.read_text(encoding="utf-8")), page


def test_every_page_of_docs_is_in_the_navigation(site: Path) -> None:
    """Each page of the repository's root is, too."""
    home = (site / "index.html").read_text(encoding="utf-8")
    reference = (site / "reference" / "index.html").read_text(encoding="utf-8")
    pages = {file.relative_to(ROOT / "docs") for file in (ROOT / "docs").rglob("*.md")}
    expected = {page.with_suffix("").as_posix() for page in pages} | {"changelog", "contributing", "security"}
    for page in expected - {"reference/index", *REGISTRY}:
        assert f'href="{page}/"' in home or f'href="{page.removeprefix("reference/")}/"' in reference, page


def test_search_finds_each_name(site: Path) -> None:
    """It finds each resource, function, property, setting and error."""
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    pages: dict[str, str] = {}
    for each in index:
        page = each["location"].partition("#")[0]
        pages[page] = f"{pages.get(page, '')} {each['title']} {each['text']}"
    everything = " ".join(pages.values())
    for section, key in (("resources", "inputProperties"), ("resources", "properties")):
        for token, spec in SCHEMA[section].items():
            missing = {name for name in spec[key] if not re.search(rf"\b{name}\b", everything)}
            assert missing == set(), token
    names = [base_name(token) for section in ("resources", "functions") for token in SCHEMA[section]]
    assert {name for name in [*names, *errors.__all__] if not re.search(rf"\b{name}\b", everything)} == set()
    assert {name for name in SCHEMA["config"]["variables"] if f"clouddb:{name}" not in everything} == set()
    assert not any(page.startswith(hooks.SHOWN) for page in pages)
    titles = {_plain(html.unescape(each["title"])) for each in index if each["location"].startswith("troubleshooting/")}
    headings = re.findall(
        "^##+ (.*)$", (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {each for each in headings if _plain(each) not in titles} == set()


def _plain(title: str) -> str:
    return re.sub(r"<[^>]+>|[`\\]", "", title).strip()


def test_links_lead_to_pages_and_anchors(site: Path) -> None:
    """None leads nowhere, also where mkdocs does not look: links in HTML, and to pages that it excludes."""
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html") if page.name != "404.html"}
    anchors = {page: set(re.findall(r'\bid="?([^"\s>]+)', text)) for page, text in texts.items()}
    checked, wrong = 0, set()
    for page, text in texts.items():
        for href in set(re.findall(r'<a\s[^>]*?\bhref="?([^"\s>]+)', text)):
            to = urlparse(urljoin(page.as_uri(), html.unescape(href)))
            if to.scheme == "file":
                checked += 1
                file = Path(unquote(to.path)) / ("index.html" if to.path.endswith("/") else "")
                if not file.is_file() or (to.fragment and unquote(to.fragment) not in anchors.get(file, set())):
                    wrong.add(f"{page.relative_to(site)}: {href}")
    assert (checked > 10_000, wrong) == (True, set())


MOVED = {
    ".": "get-a-key examples",
    "how-it-behaves": (
        "stopping-a-service settings-of-a-service deletion-and-replacement-of-a-database postgres-services pipes "
        "without-a-key-workload-identity reverse-private-endpoints ssh-keys-of-pipes private-endpoints "
        "user-defined-functions saved-queries-and-query-api-endpoints infrastructures-of-your-own-account-byoc "
        "people-and-their-roles places-of-tiles tiles-and-their-alerts what-a-tile-shows languages-of-conditions "
        "titles-and-charts-of-alerts settings errors"
    ),
    "other-providers": "tables",
    "performance": "start processor-time state policies measure-it-yourself many-stacks-with-one-key",
    "real-servers": "what-no-client-can-do",
    "reliability": (
        "simulation fault-matrix interruptions what-proves-that-an-object-is-ours machines-that-keep-no-disk"
    ),
    "troubleshooting": (
        "values-of-service values-of-pipe values-of-pipecdcscaling values-of-reverseprivateendpoint "
        "values-of-postgresservice values-of-apikey values-of-privateendpoint values-of-userdefinedfunction "
        "values-of-savedquery values-of-queryapiendpoint values-of-byocinfrastructure values-of-role "
        "values-of-invitation values-of-member values-of-dashboard values-of-alert values-of-webhook values-of-source "
        "values-of-sourcelinks values-of-discoverpipeschema values-of-listpostgreslogs values-of-getusagecost "
        "values-of-listserviceprofiles"
    ),
}
"""Anchors of subjects that are on another page now, by their old page."""


@pytest.mark.parametrize("page", MOVED)
def test_old_addresses_lead_on(site: Path, page: str) -> None:
    """Whoever follows one arrives at a link to the new place; `make docs` checks where links lead."""
    text = (site / page / "index.html").read_text(encoding="utf-8")
    assert [
        name
        for name in MOVED[page].split()
        if not re.search(rf'id="{name}"></a>(?:(?!</(?:tr|p)>).)*<a href="', text, re.DOTALL)
    ] == []


@pytest.mark.parametrize("name", REGISTRY)
def test_registry_pages_have_the_required_form(name: str) -> None:
    """It has the head that the Pulumi Registry reads, and no link to a file, as its site has none of our files."""
    _, head, text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(head)
    assert fields.keys() == {"title", "meta_desc", "layout"}
    assert fields["layout"] == "package"
    assert fields["title"].startswith(str(SCHEMA["displayName"]))
    assert len(fields["meta_desc"]) <= 160
    assert text.count("{{% choosable ") == text.count("{{% /choosable %}}")
    assert not re.search(r"\]\((?!https://)", text)


@pytest.mark.parametrize(
    ("page", "markdown", "expected"),
    [
        ("gitops.md", "[x](../examples/gitops)", "[x](repository/examples/gitops.md)"),
        ("index.md", "[x](docs/real-cloud.md#get-a-key)", "[x](real-cloud.md#get-a-key)"),
        ("index.md", "![x](docs/pictures/dashboard.svg)", "![x](pictures/dashboard.svg)"),
        ("reference/alert.md", "[x](../importing.md)", "[x](../importing.md)"),
        ("native-plugin.md", "[x](../README.md)", "[x](index.md)"),
        ("repository/examples/gitops.md", "[x](../../docs/gitops.md)", "[x](../../gitops.md)"),
        ("doctor.md", "[x](https://example.com/a)", "[x](https://example.com/a)"),
        ("doctor.md", "[x](#heading)", "[x](#heading)"),
    ],
)
def test_links_are_rewritten_for_the_site(page: str, markdown: str, expected: str) -> None:
    """A link in the repository becomes a link to the page of the same file."""
    assert hooks.with_links(markdown, page) == expected


def test_linked_files_are_on_the_site(site: Path) -> None:
    """They have their names, also `__main__.py`, which is not emphasis; only too large files are left out."""
    shown = {}
    for page in (site / hooks.SHOWN).rglob("index.html"):
        text = page.read_text(encoding="utf-8")
        (title,) = re.findall(r"<title>(.*?) - pulumi-clouddb</title>", text)
        shown[title] = "in the repository only" in text
    assert "examples/quickstart/__main__.py" in shown
    assert shown["schema.json"]
    assert not any(is_left_out for title, is_left_out in shown.items() if title.startswith("examples/"))


def test_pages_in_a_browser(site: Path, address: str) -> None:
    """No page is wider than a screen or a phone, calls another server or has an error; search needs no server."""
    browser: Any = pytest.importorskip("support.browser", reason="playwright is not installed")
    if not browser.executable():
        pytest.skip("there is no Chromium on PATH")
    pages = sorted(each.parent.relative_to(site).as_posix() for each in site.rglob("index.html"))
    chosen = [page for page in pages if not page.startswith((hooks.SHOWN, "reference/functions"))]
    assert len(chosen) > 30
    with browser.running() as running:
        tab = running.new_page()
        watched = browser.Watched(tab)
        for width, some in ((PHONE, chosen), (DESKTOP, WIDEST)):
            tab.set_viewport_size({"width": width, "height": 900})
            for page in some:
                tab.goto(f"{address}{'' if page == '.' else page + '/'}", wait_until="domcontentloaded")
                assert watched.evaluate("document.documentElement.scrollWidth") <= width, page
        tab.locator("input[name=query]").first.fill("clouddb doctor --stack", force=True)
        first_three = tab.locator(".md-search-result__item:nth-child(-n + 3)")
        first_three.locator("a[href*=doctor]").first.wait_for(state="attached", timeout=90_000)
        for scheme, expected in (("light", "default"), ("dark", "slate")):
            painted = running.new_page(color_scheme="dark" if scheme == "dark" else "light")
            painted.goto(address)
            assert painted.evaluate("document.body.getAttribute('data-md-color-scheme')") == expected
        assert (watched.errors, watched.external_requests) == ([], [])
