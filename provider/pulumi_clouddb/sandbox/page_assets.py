"""Style and script of the page at `/`. Both stand in the page itself, and a hash of each is all that it may run."""

from __future__ import annotations

import base64
import hashlib

from pulumi_clouddb.render.style import page_css

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
async function look() {
  const status = document.getElementById("status");
  try {
    const answer = await fetch("/_sandbox/page/parts?since=" + seen);
    const found = await answer.json();
    const log = document.getElementById("log");
    if (found.next < seen) { log.innerHTML = ""; }
    if (found.log) log.insertAdjacentHTML("afterbegin", found.log);
    while (log.children.length > found.most) log.lastElementChild.remove();
    seen = found.next;
    for (const name of ["boards", "objects", "waiting"]) show(name, found[name]);
    document.getElementById("none").hidden = log.children.length > 0;
    status.textContent = "";
  } catch (error) {
    status.textContent = "The sandbox does not answer; this page shows what it was.";
  }
  setTimeout(look, document.hidden ? 5000 : 1000);
}
look();
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
