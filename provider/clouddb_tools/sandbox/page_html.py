"""HTML of the page at `/`: each function returns a part, with all stored values escaped.

Style and script are inline; the Content-Security-Policy allows only their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from html import escape
from typing import Any
from urllib.parse import quote

from clouddb_tools.render.html import NO_ICON, escaped
from clouddb_tools.render.style import page_css
from pulumi_clouddb.registry import OPERATIONS

from .faults import ANY, FaultKind
from .store import Document

MOST_SHOWN = 200
"""Maximum number of requests on the page, and of objects of one kind; the control routes return all."""


def whole(parts: Mapping[str, str], about: str, next_request: int, error: str) -> str:
    """Return the page."""
    alert = f'<p class="error" role="alert">{escaped(error)}</p>' if error else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{NO_ICON}<title>Sandbox</title><style>{STYLE}</style></head><body><main>
<h1>Sandbox</h1>
<p>{escaped(about)}</p><p id="status" class="error" role="status"></p>{alert}
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
        f'<li><span class="soft">{at}</span><span>{escaped(entry["method"])}</span>'
        f'<span class="what">{escaped(entry["path"] + query)}</span>'
        f'<span class="op {"bad" if entry["fault"] else "soft"}">{escaped(fault)}</span>'
        f'<span class="{"soft" if good else "bad"}">{status if status is not None else "reset"}</span></li>'
    )


def objects(kinds: Mapping[str, Iterable[tuple[str, Document]]]) -> str:
    """Return the name, id and state of the objects of each kind, and nothing else of them."""
    return "".join(_kind(kind, list(documents)) for kind, documents in kinds.items())


def _kind(kind: str, documents: list[tuple[str, Document]]) -> str:
    name = escaped(kind.replace("_", " "))
    if not documents:
        return f"<p>{name}: none</p>"
    rows = "".join(
        f"<li><span>{escaped(str(document.get('name') or ''))}</span>"
        f'<span class="soft">{escaped(object_id)}</span><span>{escaped(str(document.get("state") or ""))}</span></li>'
        for object_id, document in documents[:MOST_SHOWN]
    )
    more = f"<p>{len(documents) - MOST_SHOWN} more are not shown.</p>" if len(documents) > MOST_SHOWN else ""
    return (
        f'<details id="kind-{kind}"><summary>{name}: {len(documents)}</summary>'
        f'<ul class="list things">{rows}</ul>{more}</details>'
    )


def boards(documents: Iterable[tuple[str, Document, str]]) -> str:
    """Return the pictures of dashboards; the version in each URL makes browsers reload a changed picture."""
    return "".join(map(_board, documents)) or "<p>None yet.</p>"


def _board(board: tuple[str, Document, str]) -> str:
    object_id, document, version = board
    name = escaped(str(document.get("name") or object_id))
    place = f"/_sandbox/page/picture?id={quote(object_id, safe='')}&amp;v={version}"
    return (
        f'<article class="board"><h3><a href="/_sandbox/page/dashboard?id={quote(object_id, safe="")}">{name}</a></h3>'
        f'<picture><source media="(max-width:760px)" srcset="{place}&amp;form=narrow">'
        f'<img loading="lazy" alt="Tiles of the dashboard {name}" src="{place}"></picture></article>'
    )


def waiting(faults: Iterable[Mapping[str, Any]]) -> str:
    """Return the active faults, each with a button that clears it."""
    rows = "".join(map(_fault, faults))
    return f'<ul class="list faults">{rows}</ul>' if rows else "<p>No faults.</p>"


def _fault(fault: Mapping[str, Any]) -> str:
    operation = "every operation" if fault["operation"] == ANY else fault["operation"]
    parts = [f"{FaultKind(fault['kind']).value} of {operation}", *_details(fault)]
    return (
        f'<li><span>{escaped(", ".join(parts))}</span><form method="post" action="/_sandbox/page/faults/clear">'
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
    """Return a page with a message instead of content."""
    return f'<!doctype html><html lang="en">{NO_ICON}<title>Sandbox</title><p>{escaped(words)}</p></html>\n'


# -- style and script --------------------------------------------------------------------------------------------------

STYLE = (
    page_css()
    + """
*{box-sizing:border-box}
body{margin:0;font-size:15px;line-height:1.45}
main{max-width:1180px;margin:0 auto;padding:8px 16px 48px}
h1{font-size:22px;margin:12px 0 0}
h2{font-size:17px;margin:28px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
h3{font-size:15px;margin:0;overflow-wrap:anywhere}
p{margin:2px 0;color:var(--soft);overflow-wrap:anywhere}
a{color:var(--accent)}
.error{color:var(--alert);font-weight:600}
.list{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:8px;background:var(--card)}
.list li{display:grid;gap:0 12px;padding:6px 12px;border-top:1px solid var(--line);font-size:13px}
.list li:first-child{border-top:0}
.list span{overflow-wrap:anywhere;min-width:0}
.log li{grid-template-columns:74px 62px minmax(0,1fr) 240px 50px}
.log{max-height:430px;overflow-y:auto}
.log .what{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12.5px}
.things li{grid-template-columns:minmax(0,1fr) minmax(0,320px) 110px}
.faults li{grid-template-columns:minmax(0,1fr) auto;align-items:center}
.soft{color:var(--soft)}.bad{color:var(--alert);font-weight:600}
details{margin:6px 0}summary{cursor:pointer;font-weight:600;padding:2px 0}
form{margin:0}
.set{display:flex;flex-wrap:wrap;gap:10px;align-items:end;margin-top:10px}
label{display:block;font-size:12.5px;color:var(--soft);min-width:0}
input,select,button{font:inherit;font-size:14px;height:2.5em;padding:0 8px;
border:1px solid var(--soft);border-radius:6px;background:var(--card);color:var(--ink);max-width:100%;display:block}
input{width:88px}select{width:210px}
button{cursor:pointer}
button:focus-visible,input:focus-visible,select:focus-visible,summary:focus-visible,a:focus-visible{
outline:2px solid var(--accent);outline-offset:2px}
.board{border:1px solid var(--line);border-radius:8px;padding:10px 12px;background:var(--card);margin:0 0 12px}
.board img{display:block;width:100%;height:auto;margin-top:8px;border-radius:6px}
@media (max-width:760px){
main{padding:4px 12px 32px}
.log li{display:flex;flex-wrap:wrap}
.log li span{order:1}.log .what,.log .op{flex:0 0 100%;order:2}
.things li{grid-template-columns:minmax(0,1fr)}
label,select{width:100%}input{width:100%}
.set{display:grid;grid-template-columns:1fr 1fr}
.set .long{grid-column:1/-1}
}
"""
)

SCRIPT = """
"use strict";
const parts = {};
let seen = Number(document.getElementById("log").dataset.next);
function show(name, html) {
  if (parts[name] === html) return;
  const first = parts[name] === undefined;
  parts[name] = html;
  const element = document.getElementById(name);
  if (first && element.innerHTML === html) return;
  const open = new Set([...element.querySelectorAll("details[open]")].map((each) => each.id));
  element.innerHTML = html;
  for (const each of element.querySelectorAll("details")) each.open = open.has(each.id);
}
async function refresh() {
  const status = document.getElementById("status");
  try {
    const response = await fetch("/_sandbox/page/parts?since=" + seen);
    const changes = await response.json();
    const log = document.getElementById("log");
    if (changes.next < seen) { log.innerHTML = ""; }
    if (changes.log) log.insertAdjacentHTML("afterbegin", changes.log);
    while (log.children.length > changes.most) log.lastElementChild.remove();
    seen = changes.next;
    for (const name of ["boards", "objects", "waiting"]) show(name, changes[name]);
    document.getElementById("none").hidden = log.children.length > 0;
    status.textContent = "";
  } catch (error) {
    status.textContent = "The sandbox does not respond; this page shows its last state.";
  }
  setTimeout(refresh, document.hidden ? 5000 : 1000);
}
refresh();
"""


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


HEADERS = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src {_hash(STYLE)}; script-src {_hash(SCRIPT)}; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
PICTURE_HEADERS = {
    **HEADERS,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'",
}
