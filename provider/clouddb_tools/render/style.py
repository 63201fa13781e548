"""The colors of pictures and pages, in a light and a dark scheme; a test checks their contrast."""

from __future__ import annotations

from collections.abc import Mapping

SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'

Colors = tuple[str, str]
"""A color in the light and in the dark scheme."""

PAGE: Colors = ("#f6f7f9", "#0f1318")
CARD: Colors = ("#ffffff", "#171c23")
LINE: Colors = ("#d5dae1", "#343c47")
INK: Colors = ("#1b2129", "#e7ebf0")
SOFT: Colors = ("#525c69", "#a4afbc")
SHAPE: Colors = ("#b9c8dc", "#3f536d")
SHADE: Colors = ("#dde5ef", "#29374a")
ACCENT: Colors = ("#1f5fbf", "#7fb2ff")
ALERT: Colors = ("#a8350b", "#ffab7a")
ADDED: Colors = ("#17692f", "#6fd58c")
CHANGED: Colors = ("#855300", "#f0b955")
REMOVED: Colors = ("#b3212c", "#ff9a9a")
MOVED: Colors = ("#5b3fb5", "#bba6ff")

CHANGES: Mapping[str, Colors] = {"added": ADDED, "changed": CHANGED, "removed": REMOVED, "moved": MOVED}
"""The color of each badge of a comparison; pictures also show the badge as text and by the pattern of the border."""

FILLS: Mapping[str, Colors] = {
    "page": PAGE,
    "ink": INK,
    "soft": SOFT,
    "shape": SHAPE,
    "shade": SHADE,
    "alert": ALERT,
    "accent": ACCENT,
    **CHANGES,
}
STROKES: Mapping[str, Colors] = {
    "frame": LINE,
    "curve": SHAPE,
    "threshold": ALERT,
    "edge-card": CARD,
    **{f"edge-{badge}": colors for badge, colors in CHANGES.items()},
}
DASHES = {"added": "", "changed": "", "removed": "6 4", "moved": "2 3"}


def svg_css() -> str:
    """Return the CSS of pictures; light colors come first, for programs without support for media queries."""
    fixed = [
        f"text{{font-family:{SANS}}}",
        f".mono{{font-family:{MONO}}}",
        ".bold{font-weight:600}",
        ".frame{stroke-width:1}.curve{fill:none;stroke-width:2}",
        ".threshold{fill:none;stroke-width:1.5;stroke-dasharray:5 3}",
        *(
            f".edge-{badge}{{stroke-width:2.5{f';stroke-dasharray:{dash}' if dash else ''}}}"
            for badge, dash in DASHES.items()
        ),
    ]
    return "".join([*fixed, *_color_rules(0), "@media (prefers-color-scheme:dark){", *_color_rules(1), "}"])


def _color_rules(scheme: int) -> list[str]:
    rules = [f".{name}{{fill:{colors[scheme]}}}" for name, colors in FILLS.items()]
    rules += [f".{name}{{stroke:{colors[scheme]}}}" for name, colors in STROKES.items()]
    return [*rules, f".card{{fill:{CARD[scheme]}}}", f".sunk{{fill:{PAGE[scheme]}}}", ".bare{fill:none}"]


def page_css() -> str:
    """Return the CSS of pages: each color is a custom property with its name."""
    base = {"page": PAGE, "card": CARD, "line": LINE, "ink": INK, "soft": SOFT, "accent": ACCENT, "alert": ALERT}
    named = {**base, **CHANGES}
    light, dark = ("".join(f"--{name}:{colors[scheme]};" for name, colors in named.items()) for scheme in (0, 1))
    return (
        f":root{{color-scheme:light dark;{light}}}"
        f"@media (prefers-color-scheme:dark){{:root{{{dark}}}}}"
        f"body{{font-family:{SANS};background:var(--page);color:var(--ink)}}code,pre{{font-family:{MONO}}}"
    )
