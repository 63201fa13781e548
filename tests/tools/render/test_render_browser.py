"""Pictures and pages in a real browser, on a desktop and on a phone.

The browser measures boxes, widths of texts, colours and requests. Screenshots are compared with
kept ones, too, but as a grid of cells and without texts: fonts differ between machines, boxes must not. To keep new
ones, run with KEEP_SCREENSHOTS=1 and check them.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import Browser, Page

from clouddb_tools.render.diff import compare_all
from clouddb_tools.render.files import DiffDrawing, Drawing
from clouddb_tools.render.objects import pictures
from clouddb_tools.sandbox import Sandbox
from codegen.pictures import changed, items
from support.browser import CELLS, GRID, LOOK, SMALL, WITHOUT_TEXTS, executable, opened, running
from support.ids import CALM, LOGS
from support.pictures import alert, dashboard, picture, tile

pytestmark = [pytest.mark.slow, pytest.mark.skipif(executable() is None, reason="there is no chromium on PATH")]

KEPT = Path(__file__).parents[2] / "data" / "screenshots"
KEPT_WIDTH = 240
SCREENS = {"desktop": (1280, "light"), "phone": (390, "dark")}
LONG = "a name that is much longer than any tile is wide, with Wide LETTERS MWMWMW@@@@ and servicenames.that.never.end"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with running() as found:
        yield found


def example() -> str:
    """Return the page of the example, with long texts, tiny tiles and many alerts added."""
    odd = {"displayType": "search", "sourceId": LONG, "select": LONG, "where": LONG}
    markdown = {"displayType": "markdown", "markdown": f"# {LONG}\n\n{'word ' * 300}"}
    board = dashboard(
        tile(LONG, 0, 0, 4, 4),
        tile("b", 4, 0, 1, 1),
        tile("c", 5, 0, 3, 2),
        tile("d", 8, 0, 8, 4, config=odd),
        tile("e", 16, 0, 8, 4, config=markdown),
        tile("f", 0, 4, 3, 5, config={"displayType": "number", "numberFormat": {"output": "currency", "unit": LONG}}),
        tile("g", 3, 4, 12, 6),
        tags=[LONG, LONG],
        filters=[{"name": LONG, "expression": LONG}, {"name": "b", "expression": "c"}],
        containers=[{"id": "c", "title": LONG}],
        name=LONG,
    )
    alerts = [alert("g", "above", number, name=LONG) for number in range(9)]
    alerts += [alert("f", "between", 1, thresholdMax=2), alert("c", name=LONG), alert("nowhere", name=LONG)]
    return Drawing([*pictures(items()).values(), picture(board, *alerts)], "state of dev").text(".html")


def comparison() -> str:
    """Return the page of the example's change."""
    found = compare_all(pictures(items()), pictures(items(changed(), 50)))
    return DiffDrawing(found, ("state of dev", "preview of dev")).text(".html")


def fill(sandbox: Sandbox) -> None:
    """Create objects of all kinds in a sandbox."""
    line = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
    places = [{"name": LONG, "x": 0, "y": 0, "w": 12, "h": 5}, {"name": "b", "x": 12, "y": 0, "w": 12, "h": 5}]
    with sandbox.self_hosted() as hosted:
        body = {"name": LONG, "tiles": [{**place, "config": line} for place in places]}
        board = hosted.post("/dashboards", json=body).json()["data"]
        watched = {"dashboardId": board["id"], "tileId": board["tiles"][0]["id"], "source": "tile", "name": "Many"}
        raised = {"threshold": 7, "thresholdType": "above", "interval": "5m"}
        hosted.post("/alerts", json={**watched, **raised, "channel": {"type": "webhook", "webhookId": CALM}})
    sandbox.add("services", name=LONG)
    sandbox.fault("list_services", "status", status=503, match={"name": LONG})


@pytest.fixture(params=["board", "change", "sandbox"])
def shown(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """Each page by its name and its address."""
    name = str(request.param)
    if name == "sandbox":
        with Sandbox(vocabulary="clickhouse") as running_:
            fill(running_)
            yield name, running_.url
        return
    file = tmp_path / "page.html"
    file.write_text(example() if name == "board" else comparison(), encoding="utf-8")
    yield name, file.as_uri()


def settled(page: Page) -> None:
    """Open all folded parts, and wait until all pictures are loaded."""
    page.wait_for_load_state("networkidle")  # the first refresh of the sandbox's page replaces what has been changed
    # Playwright's own wait evaluates text in the page, which the page's policy forbids.
    page.evaluate("""
async () => {
  document.querySelectorAll("details").forEach((each) => { each.open = true; });
  await Promise.all([...document.images].map((each) => {
    each.loading = "eager";
    return each.complete ? null : new Promise((done) => { each.onload = each.onerror = done; });
  }));
}
""")


@pytest.mark.parametrize("screen", SCREENS)
def test_page_has_no_overlapping_clipped_or_faint_texts(shown: tuple[str, str], browser: Browser, screen: str) -> None:
    """No text leaves its box, no page scrolls sideways, all texts have contrast, and no external file is requested.

    Controls in one row have the same top and bottom.
    """
    name, url = shown
    width, scheme = SCREENS[screen]
    with opened(browser, url, width, scheme) as watched:
        settled(watched.page)
        found: dict[str, Any] = watched.evaluate(LOOK)
        assert found.pop("texts") > 20
        assert found.pop("tiles") > 0 or name == "sandbox"
        assert found == {"wide": [], "clipped": [], "overlapping": [], "outside": [], "faint": [], "uneven": []}
        assert watched.errors == []
        assert watched.external_requests == []
        compare(watched.page, KEPT / f"{name}-{screen}.png")


def compare(page: Page, kept: Path) -> None:
    """Compare a page without its texts with its kept screenshot, cell by cell."""
    page.evaluate(WITHOUT_TEXTS)
    whole = base64.b64encode(page.screenshot(full_page=True, scale="css")).decode()
    image = page.evaluate(SMALL, [whole, KEPT_WIDTH])
    if os.environ.get("KEEP_SCREENSHOTS"):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(base64.b64decode(image))
    before = base64.b64encode(kept.read_bytes()).decode()
    now, then = (page.evaluate(CELLS, [each, GRID]) for each in (image, before))
    differing = sum(abs(one - other) > 24 for one, other in zip(now, then, strict=True))
    assert differing <= 0.05 * GRID * GRID, f"{differing} of {GRID * GRID} cells differ from {kept.name}"


def test_each_check_finds_its_mistake(browser: Browser, tmp_path: Path) -> None:
    """Each check fails for a page with all mistakes."""
    text = '<text class="{}" x="{}" y="30" font-size="12" data-room="20">much too long for its room</text>'
    group = '<g class="tile" data-key="{0}"><rect class="box" x="{1}" width="60" height="40" fill="#fff"/>{2}</g>'
    file = tmp_path / "page.html"
    file.write_text(
        "<body style='margin:0;background:#fff'><p style='width:2000px;color:#ccc'>faint</p>"
        "<p style='width:40px;overflow:hidden;white-space:nowrap'>a clipped text</p>"
        "<form><input name='low' style='height:30px'><button style='height:36px'>high</button>"
        "<p><input name='even' style='height:30px'></p></form>"
        '<svg viewBox="0 0 200 50" width="200"><rect class="page" fill="#fff"/>'
        f"{group.format('a', 0, text.format('ink', 2))}{group.format('b', 30, '')}</svg></body>",
        encoding="utf-8",
    )
    with opened(browser, file.as_uri(), 390, "light") as watched:
        found = watched.evaluate(LOOK)
    assert found["wide"] == [2000]
    assert found["overlapping"] == ["b"]
    assert found["clipped"] == ["much too long for its room", "a clipped text"]
    assert found["faint"] == ["faint"]
    assert found["uneven"] == ["low", "high"]
    assert found["outside"]


def test_sandbox_page_shows_new_requests_and_faults(browser: Browser) -> None:
    """New requests and objects appear, and a fault is set and cleared with the form."""
    with Sandbox(vocabulary="neutral") as sandbox, opened(browser, sandbox.url, 390, "light") as watched:
        page = watched.page
        with sandbox.management() as managed:
            managed.get("/services")
        page.wait_for_selector("#log li")
        assert "list_services" in page.locator("#log").inner_text()
        page.select_option("select[name=kind]", "status")
        page.fill("input[name=status]", "503")
        page.click("text=Set the fault")
        page.wait_for_selector("text=status of every operation, once, status 503")
        assert [fault["status"] for fault in sandbox.faults()] == [503]
        page.click("text=Clear")
        page.wait_for_selector("text=No faults.")
        assert sandbox.faults() == []
        with sandbox.self_hosted() as hosted:
            hosted.post("/dashboards", json={"name": "New", "tiles": []})
        page.wait_for_selector("#boards img")
        page.click("#boards a")
        page.wait_for_selector("svg >> visible=true")
        assert watched.errors == []
        assert watched.external_requests == []
