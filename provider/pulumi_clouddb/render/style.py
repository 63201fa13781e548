"""The colours of pictures and pages, once for light and once for dark; tests hold their contrast."""

from __future__ import annotations

from collections.abc import Mapping

SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

Colours = tuple[str, str]
"""A colour on light ground, and on dark."""

PAGE: Colours = ("#f6f7f9", "#0f1318")
CARD: Colours = ("#ffffff", "#171c23")
LINE: Colours = ("#d5dae1", "#343c47")
INK: Colours = ("#1b2129", "#e7ebf0")
SOFT: Colours = ("#525c69", "#a4afbc")
SHAPE: Colours = ("#b9c8dc", "#3f536d")
SHADE: Colours = ("#dde5ef", "#29374a")
ACCENT: Colours = ("#1f5fbf", "#7fb2ff")
ALERT: Colours = ("#a8350b", "#ffab7a")
ADDED: Colours = ("#17692f", "#6fd58c")
CHANGED: Colours = ("#855300", "#f0b955")
REMOVED: Colours = ("#b3212c", "#ff9a9a")
MOVED: Colours = ("#5b3fb5", "#bba6ff")

MARKS: Mapping[str, Colours] = {"added": ADDED, "changed": CHANGED, "removed": REMOVED, "moved": MOVED}
"""The colour of each mark of a comparison; the mark is also written out, and its border has a pattern of its own."""

FILLS: Mapping[str, Colours] = {
    "page": PAGE,
    "ink": INK,
    "soft": SOFT,
    "shape": SHAPE,
    "shade": SHADE,
    "alert": ALERT,
    "accent": ACCENT,
    **MARKS,
}
STROKES: Mapping[str, Colours] = {
    "frame": LINE,
    "curve": SHAPE,
    "threshold": ALERT,
    "edge-card": CARD,
    **{f"edge-{mark}": colours for mark, colours in MARKS.items()},
}
DASHES = {"added": "", "changed": "", "removed": "6 4", "moved": "2 3"}


def svg_css() -> str:
    """Return the style of pictures: plain colours first, for what knows no media queries."""
    fixed = [
        f"text{{font-family:{SANS}}}",
        f".mono{{font-family:{MONO}}}",
        ".bold{font-weight:600}",
        ".frame{stroke-width:1}.curve{fill:none;stroke-width:2}",
        ".threshold{fill:none;stroke-width:1.5;stroke-dasharray:5 3}",
        *(
            f".edge-{mark}{{stroke-width:2.5{f';stroke-dasharray:{dash}' if dash else ''}}}"
            for mark, dash in DASHES.items()
        ),
    ]
    return "".join([*fixed, *_colours(0), "@media (prefers-color-scheme:dark){", *_colours(1), "}"])


def _colours(scheme: int) -> list[str]:
    rules = [f".{name}{{fill:{colours[scheme]}}}" for name, colours in FILLS.items()]
    rules += [f".{name}{{stroke:{colours[scheme]}}}" for name, colours in STROKES.items()]
    # Boxes are filled after what they are named by: an edge of a tile says nothing of its ground.
    return [*rules, f".card{{fill:{CARD[scheme]}}}", f".sunk{{fill:{PAGE[scheme]}}}", ".bare{fill:none}"]


def page_css() -> str:
    """Return custom properties for HTML, by the names of the colours."""
    named = {"page": PAGE, "card": CARD, "line": LINE, "ink": INK, "soft": SOFT, "accent": ACCENT, "alert": ALERT}
    schemes = ["".join(f"--{name}:{each[scheme]};" for name, each in {**named, **MARKS}.items()) for scheme in (0, 1)]
    return (
        f":root{{color-scheme:light dark;{schemes[0]}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{schemes[1]}}}}}"
        f"body{{font-family:{SANS};background:var(--page);color:var(--ink)}}code,pre{{font-family:{MONO}}}"
    )
