"""What stands on the page at `/`: each function returns a part of it, everything from the store escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from html import escape
from typing import Any
from urllib.parse import quote

from pulumi_clouddb.api.operations import OPERATIONS
from pulumi_clouddb.render.html import NO_ICON, say

from .faults import ANY, FaultKind
from .page_assets import SCRIPT, STYLE
from .store import Document

MOST_SHOWN = 200
"""Requests on the page, and objects of one kind; the control routes have them all."""


def whole(parts: Mapping[str, str], about: str, next_request: int, error: str) -> str:
    """Return the page."""
    said = f'<p class="error" role="alert">{say(error)}</p>' if error else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{NO_ICON}<title>Sandbox</title><style>{STYLE}</style></head><body><main>
<h1>Sandbox</h1>
<p>{say(about)}</p><p id="status" class="error" role="status"></p>{said}
<h2>Faults</h2><div id="waiting">{parts["waiting"]}</div>{_form()}
<h2>Requests, newest first</h2>
<p id="none"{" hidden" if parts["log"] else ""}>None yet.</p>
<ol id="log" class="list log" aria-label="Requests" tabindex="0" data-next="{next_request}">{parts["log"]}</ol>
<h2>Objects</h2><div id="objects">{parts["objects"]}</div>
<h2>Dashboards</h2><div id="boards">{parts["boards"]}</div>
</main><script>{SCRIPT}</script></body></html>
"""


def log(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return requests, newest first."""
    return "".join(map(_request, reversed(list(entries)[-MOST_SHOWN:])))


def _request(entry: Mapping[str, Any]) -> str:
    at = datetime.fromtimestamp(entry["at"], timezone.utc).strftime("%H:%M:%S")
    query = f"?{entry['query']}" if entry["query"] else ""
    status = entry["status"]
    good = status is not None and status < 400
    fault = f"fault: {entry['fault']}" if entry["fault"] else entry["operation"] or "not offered"
    return (
        f'<li><span class="soft">{at}</span><span>{say(entry["method"])}</span>'
        f'<span class="what">{say(entry["path"] + query)}</span>'
        f'<span class="op {"bad" if entry["fault"] else "soft"}">{say(fault)}</span>'
        f'<span class="{"soft" if good else "bad"}">{status if status is not None else "reset"}</span></li>'
    )


def objects(kinds: Mapping[str, Iterable[tuple[str, Document]]]) -> str:
    """Return the objects of each kind: what they are called, and in which state they are, never what they hold."""
    return "".join(_kind(kind, list(documents)) for kind, documents in kinds.items())


def _kind(kind: str, documents: list[tuple[str, Document]]) -> str:
    name = say(kind.replace("_", " "))
    if not documents:
        return f"<p>{name}: none</p>"
    rows = "".join(
        f"<li><span>{say(str(document.get('name') or ''))}</span>"
        f'<span class="soft">{say(object_id)}</span><span>{say(str(document.get("state") or ""))}</span></li>'
        for object_id, document in documents[:MOST_SHOWN]
    )
    more = f"<p>{len(documents) - MOST_SHOWN} more are not shown.</p>" if len(documents) > MOST_SHOWN else ""
    return (
        f'<details id="kind-{kind}"><summary>{name}: {len(documents)}</summary>'
        f'<ul class="list things">{rows}</ul>{more}</details>'
    )


def boards(documents: Iterable[tuple[str, Document, str]]) -> str:
    """Return the pictures of dashboards; each comes with a version, so that a browser asks again for a changed one."""
    return "".join(map(_board, documents)) or "<p>None yet.</p>"


def _board(board: tuple[str, Document, str]) -> str:
    object_id, document, version = board
    name = say(str(document.get("name") or object_id))
    place = f"/_sandbox/page/picture?id={quote(object_id, safe='')}&amp;v={version}"
    return (
        f'<article class="board"><h3><a href="/_sandbox/page/dashboard?id={quote(object_id, safe="")}">{name}</a></h3>'
        f'<picture><source media="(max-width:760px)" srcset="{place}&amp;form=narrow">'
        f'<img loading="lazy" alt="Tiles of the dashboard {name}" src="{place}"></picture></article>'
    )


def waiting(faults: Iterable[Mapping[str, Any]]) -> str:
    """Return the faults that are set, each with a button that clears it."""
    rows = "".join(map(_fault, faults))
    return f'<ul class="list faults">{rows}</ul>' if rows else "<p>None is set.</p>"


def _fault(fault: Mapping[str, Any]) -> str:
    operation = "every operation" if fault["operation"] == ANY else fault["operation"]
    told = [f"{FaultKind(fault['kind']).value} of {operation}", *_details(fault)]
    return (
        f'<li><span>{say(", ".join(told))}</span><form method="post" action="/_sandbox/page/faults/clear">'
        f'<input type="hidden" name="fault" value="{escape(json.dumps(fault))}"><button>Clear</button></form></li>'
    )


def _details(fault: Mapping[str, Any]) -> Iterator[str]:
    times = fault["times"]
    yield "as often as asked" if times is None else "once" if times == 1 else f"{times} times"
    for name, word in (("wait", "s"), ("after", "requests later"), ("status", "")):
        if fault[name]:
            yield f"{name} {fault[name]} {word}".strip()
    if fault["match"]:
        yield f"where {json.dumps(fault['match'])}"


def _form() -> str:
    operations = "".join(f"<option>{name}</option>" for name in sorted(OPERATIONS))
    kinds = "".join(f"<option>{kind.value}</option>" for kind in FaultKind)
    numbers = "".join(
        f'<label>{label}<input name="{name}" inputmode="decimal" value="{value}"></label>'
        for name, label, value in (
            ("times", "How often", "1"),
            ("after", "After requests", ""),
            ("wait", "Wait, in s", ""),
            ("status", "Status", ""),
        )
    )
    return (
        '<form class="set" method="post" action="/_sandbox/page/faults">'
        f'<label class="long">Operation<select name="operation"><option value="*">every operation</option>{operations}'
        f'</select></label><label class="long">What goes wrong<select name="kind">{kinds}</select></label>{numbers}'
        "<button>Set the fault</button></form>"
    )


def message(words: str) -> str:
    """Return a page that says why there is nothing to see."""
    return f'<!doctype html><html lang="en">{NO_ICON}<title>Sandbox</title><p>{say(words)}</p></html>\n'
