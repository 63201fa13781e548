"""A real browser, for text widths, clipped elements and the requests of a page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def executable() -> str | None:
    """Return the browser on PATH, or None; none is downloaded."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def running() -> Iterator[Browser]:
    """Run one browser for many pages."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=[*QUIET])
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """A page, with its errors and its requests to other hosts."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.external_requests: list[str] = []
        page.on("console", lambda each: self.errors.append(each.text) if each.type in ("error", "warning") else None)
        page.on("pageerror", lambda each: self.errors.append(str(each)))
        page.on("request", lambda each: self._record(each.url))

    def _record(self, url: str) -> None:
        place = urlsplit(url)
        if place.scheme not in ("file", "data") and place.hostname != "127.0.0.1":
            self.external_requests.append(url)

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """Return the result of a script on the page."""
        return self.page.evaluate(script, *arguments)


@contextmanager
def opened(browser: Browser, url: str, width: int, scheme: str) -> Iterator[Watched]:
    """Open a page at a width, in light or dark."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    watched = Watched(context.new_page())
    watched.page.goto(url)
    try:
        yield watched
    finally:
        context.close()


LOOK = """
() => {
  const shown = (each) => each.getClientRects().length > 0 && getComputedStyle(each).visibility !== "hidden";
  const name = (each) => (each.textContent || each.tagName).trim().slice(0, 60);
  const path = {wide: [], clipped: [], overlapping: [], outside: [], faint: [], uneven: [], tiles: 0, texts: 0};
  if (document.documentElement.scrollWidth > innerWidth) path.wide.push(document.documentElement.scrollWidth);

  const parse = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const contrast = (one, other) => {
    const [low, high] = [light(parse(one)), light(parse(other))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const clear = (colour) => colour === "transparent" || parse(colour)[3] === 0;

  for (const svg of [...document.querySelectorAll("svg")].filter(shown)) {
    const boxes = [];
    for (const tile of svg.querySelectorAll(".tile")) {
      const box = tile.querySelector(".box").getBBox();
      for (const other of boxes) {
        const apart = box.x + box.width <= other.x || other.x + other.width <= box.x;
        if (!apart && !(box.y + box.height <= other.y || other.y + other.height <= box.y)) {
          path.overlapping.push(tile.dataset.key);
        }
      }
      boxes.push(box);
      path.tiles += 1;
      for (const inner of tile.querySelectorAll("text, .picture :not(title), .alerts :not(title)")) {
        const it = inner.getBBox();
        if (it.x < box.x - 1 || it.y < box.y - 1 || it.x + it.width > box.x + box.width + 1
            || it.y + it.height > box.y + box.height + 1) path.outside.push(name(inner) + " in " + tile.dataset.key);
      }
    }
    const whole = svg.viewBox.baseVal;
    for (const each of svg.querySelectorAll("text")) {
      const it = each.getBBox();
      if (it.width > Number(each.dataset.room) + 0.5) path.clipped.push(name(each));
      if (it.x < 0 || it.x + it.width > whole.width || it.y + it.height > whole.height) path.outside.push(name(each));
      const tile = each.closest(".tile");
      const before = each.previousElementSibling;
      const ground = tile ? tile.querySelector(".box")
        : before && before.tagName === "rect" ? before : svg.querySelector(".page");
      for (const part of [each, ...each.querySelectorAll("tspan")])
        if (contrast(getComputedStyle(part).fill, getComputedStyle(ground).fill) < 4.5) path.faint.push(name(part));
      path.texts += 1;
    }
  }

  for (const form of document.forms) {
    const boxes = [...form.elements].filter(shown).map((each) => [each, each.getBoundingClientRect()]);
    for (const [each, at] of boxes) {
      const uneven = ([, it]) => it.top < at.bottom && at.top < it.bottom
        && Math.abs(it.top - at.top) + Math.abs(it.bottom - at.bottom) > 0.5;
      if (boxes.some(uneven)) path.uneven.push(each.name || name(each));
    }
  }

  for (const each of [...document.querySelectorAll("body *")].filter(shown)) {
    if (each.closest("svg, select, script, style")) continue;
    const style = getComputedStyle(each);
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own) continue;
    path.texts += 1;
    if (style.display !== "inline" && each.scrollWidth > each.clientWidth + 1 && style.overflowX !== "auto") {
      path.clipped.push(name(each));
    }
    const at = each.getBoundingClientRect();
    if (at.left < -1 || at.right > innerWidth + 1) path.outside.push(name(each));
    let ground = each;
    while (ground && clear(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
    if (ground && contrast(style.color, getComputedStyle(ground).backgroundColor) < 4.5) path.faint.push(name(each));
  }
  return path;
}
"""
"""Finds what a reader would stumble over; each list names what it path."""

WITHOUT_TEXTS = """
() => {
  const style = new CSSStyleSheet();
  style.replaceSync(`
    body * { color: transparent !important }
    svg text, input, select { visibility: hidden !important }
    #log, #objects { display: none !important }
  `);
  document.adoptedStyleSheets = [style];
}
"""
"""Hides elements that differ by the fonts of a machine, or from one run to the next, also those that come later.

None is removed: the sandbox's page looks for them at each refresh, and says that the sandbox does not respond if not.
"""

SMALL = """
async ([image, width]) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + image;
  await picture.decode();
  const canvas = new OffscreenCanvas(width, Math.round(picture.height * width / picture.width));
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ""));
}
"""
"""Resizes an image to a width."""

GRID = 64

CELLS = """
async ([image, grid]) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + image;
  await picture.decode();
  const canvas = new OffscreenCanvas(grid, grid).getContext("2d", {willReadFrequently: true});
  canvas.imageSmoothingQuality = "high";
  canvas.drawImage(picture, 0, 0, grid, grid);
  const data = canvas.getImageData(0, 0, grid, grid).data;
  return Array.from({length: grid * grid}, (_, i) => (data[4 * i] + data[4 * i + 1] + data[4 * i + 2]) / 3);
}
"""
"""Returns an image as a square grid of grey values."""
