"""A self-contained HTML page: the pictures at two widths, and their whole content as text.

It has no script, and loads no font, image or style sheet. It is built from strings: a template engine would only add
escaping.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from xml.etree import ElementTree as ET

from .diff import Comparison, PropertyDifference
from .measure import clean
from .picture import Picture, TilePicture
from .style import page_css, svg_css
from .svg import HALF, NARROW, WIDE, dashboard_svg
from .svg_diff import comparison_svg
from .words import Fact

CSS = """
*{box-sizing:border-box}
body{margin:0;font-size:15px;line-height:1.45}
main{max-width:1520px;margin:0 auto;padding:12px 16px 40px}
h1{font-size:22px;margin:12px 0 2px;overflow-wrap:anywhere}
h2{font-size:18px;margin:36px 0 4px;overflow-wrap:anywhere}
h3{font-size:15px;margin:0;overflow-wrap:anywhere}
p{margin:2px 0 10px;color:var(--soft);overflow-wrap:anywhere}
figure{margin:8px 0;border:1px solid var(--line);border-radius:8px;overflow:hidden;background:var(--page)}
figure svg{display:block;width:100%;height:auto}
.small{display:none}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,330px),1fr));gap:10px}
.card-of-tile{border:1px solid var(--line);border-radius:8px;padding:10px 12px;background:var(--card);min-width:0}
dl{margin:6px 0 0;font-size:13px}
dt{color:var(--soft);margin-top:6px}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}
.alert-of-tile{color:var(--alert)}
.mark{font-weight:600}
.mark-added{color:var(--added)}.mark-changed{color:var(--changed)}
.mark-removed{color:var(--removed)}.mark-moved{color:var(--moved)}
summary{cursor:pointer;margin:12px 0 8px;font-weight:600}
nav ul{padding-left:20px}a{color:var(--accent)}
@media (max-width:760px){.wide{display:none}.small{display:block}main{padding:8px 12px 32px}}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
NO_ICON = '<link rel="icon" href="data:,">'
"""Prevents the browser from requesting an icon."""


def escaped(text: str) -> str:
    """Return a text, escaped for any place in a page; it keeps its line breaks."""
    return "\n".join(escape(clean(line)) for line in text.split("\n"))


def _page(title: str, body: Iterable[str]) -> str:
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            f"{NO_ICON}<title>{escaped(title)}</title>",
            f"<style>{page_css()}{CSS}{svg_css()}</style>\n</head>\n<body>\n<main>",
            *body,
            "</main>\n</body>\n</html>\n",
        ]
    )


def _contents(names: Sequence[str]) -> Iterator[str]:
    if len(names) > 1:
        items = (f'<li><a href="#dashboard-{index}">{escaped(name)}</a></li>' for index, name in enumerate(names))
        yield f"<nav><ul>{''.join(items)}</ul></nav>"


def _figures(wide: ET.Element, small: ET.Element) -> Iterator[str]:
    for name, root in (("wide", wide), ("small", small)):
        yield f'<figure class="{name}">{ET.tostring(root, encoding="unicode")}</figure>'


def _counted(count: int) -> str:
    return f"{count} dashboard{'' if count == 1 else 's'}"


def _entries(facts: Iterable[Fact]) -> Iterator[str]:
    for label, text in facts:
        yield f"<dt>{escaped(label)}</dt><dd>{escaped(text)}</dd>"


# -- dashboards --------------------------------------------------------------------------------------------------------


def dashboards_page(pictures: Sequence[Picture], origin: str) -> str:
    """Return a page with the pictures of dashboards."""
    return _page(f"Dashboards: {origin}", _dashboards(pictures, origin))


def _dashboards(pictures: Sequence[Picture], origin: str) -> Iterator[str]:
    yield f"<h1>{_counted(len(pictures))}</h1>\n<p>{escaped(origin)}</p>"
    yield from _contents([each.name for each in pictures])
    for index, picture in enumerate(pictures):
        yield f'<section id="dashboard-{index}">\n<h2>{escaped(picture.name)}</h2>'
        yield from _figures(*(dashboard_svg([picture], origin, form) for form in (WIDE, NARROW)))
        yield '<details>\n<summary>Every tile in full</summary>\n<div class="cards">'
        for tile in picture.tiles:
            yield from _card(tile)
        yield "</div>\n</details>\n</section>"


def _card(tile: TilePicture) -> Iterator[str]:
    yield f'<article class="card-of-tile">\n<h3>{escaped(tile.name)}</h3>\n<p>{escaped(tile.summary)}</p>\n<dl>'
    yield from _entries(tile.facts)
    if tile.markdown:
        yield from _entries([("text", tile.markdown)])
    for alert in tile.alerts:
        text = "; ".join([alert.label, *alert.channels])
        yield f'<dt class="alert-of-tile">alert {escaped(alert.name)}</dt><dd>{escaped(text)}</dd>'
    yield "</dl>\n</article>"


# -- comparisons -------------------------------------------------------------------------------------------------------


def comparisons_page(comparisons: Sequence[Comparison], origins: tuple[str, str]) -> str:
    """Return a page with comparisons of dashboards."""
    return _page(f"Dashboards: {origins[0]} and {origins[1]}", _comparisons(comparisons, origins))


def _comparisons(comparisons: Sequence[Comparison], origins: tuple[str, str]) -> Iterator[str]:
    count = sum(each.changes for each in comparisons)
    yield f"<h1>{_counted(count)} of {len(comparisons)} {'differs' if count == 1 else 'differ'}</h1>"
    yield f"<p>Before: {escaped(origins[0])}. After: {escaped(origins[1])}.</p>"
    yield from _contents([each.name for each in comparisons])
    for index, each in enumerate(comparisons):
        yield f'<section id="dashboard-{index}">\n<h2>{escaped(each.name)}</h2>\n<p>{escaped(each.headline)}</p>'
        yield from _figures(*(comparison_svg([each], origins, form) for form in (HALF, NARROW)))
        yield '<details>\n<summary>Every change in full</summary>\n<div class="cards">'
        yield from _changes(each)
        yield "</div>\n</details>\n</section>"


def _changes(comparison: Comparison) -> Iterator[str]:
    if comparison.properties:
        yield '<article class="card-of-tile">\n<h3>The dashboard itself</h3>'
        yield from _differences(comparison.properties)
    for each in comparison.tiles:
        yield f'<article class="card-of-tile">\n<h3>{escaped(each.name)}</h3>'
        yield f'<p class="mark mark-{each.kind}">{escaped(each.words)}</p>'
        yield from _differences(each.properties)


def _differences(properties: Iterable[PropertyDifference]) -> Iterator[str]:
    yield "<dl>"
    for each in properties:
        old, new = escaped(each.old or "not there"), escaped(each.new or "not there")
        yield f"<dt>{escaped(each.path)}</dt><dd>{old} → {new}</dd>"
    yield "</dl>\n</article>"
