"""The sandbox's page: its content, hidden secrets, and refused requests."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from html import escape
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import httpx
import pytest

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.sandbox.seed import KINDS
from support.ids import CALM, LOGS

MARKUP = "<script>alert(1)</script>"
LINE = {"displayType": "line", "sourceId": LOGS, "select": [{"aggFn": "count"}]}
BOARD = {"name": f"{MARKUP} Shop", "tiles": [{"name": "Errors", "x": 0, "y": 0, "w": 12, "h": 5, "config": LINE}]}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A new sandbox: pages show all of its objects."""
    with Sandbox(vocabulary="clickhouse") as running:
        yield running


@pytest.fixture
def browser(sandbox: Sandbox) -> Iterator[httpx.Client]:
    """A client for pages."""
    with httpx.Client(base_url=sandbox.url) as client:
        yield client


def board_with_alert(sandbox: Sandbox) -> dict[str, Any]:
    """Create a dashboard with an alert through the API, and return it."""
    with sandbox.self_hosted() as hosted:
        board: dict[str, Any] = hosted.post("/dashboards", json=BOARD).json()["data"]
        watched = {"dashboardId": board["id"], "tileId": board["tiles"][0]["id"], "source": "tile", "name": "Many"}
        raised = {"threshold": 7, "thresholdType": "above", "interval": "5m"}
        channel = {"channel": {"type": "webhook", "webhookId": CALM}}
        assert hosted.post("/alerts", json={**watched, **raised, **channel}).status_code == 200
    return board


def parts(browser: httpx.Client, since: int = 0) -> dict[str, Any]:
    """Return the parts that the page requests every second."""
    return dict(browser.get("/_sandbox/page/parts", params={"since": since}).raise_for_status().json())


def test_page_has_objects_of_all_kinds(sandbox: Sandbox, browser: httpx.Client) -> None:
    """They have name, id and state; kinds without objects are listed, too."""
    service = sandbox.add("services", name="orders")
    page = browser.get("/").text
    for kind in KINDS:
        assert re.search(rf"\b{kind.replace('_', ' ')}: (\d+|none)<", page), kind
    assert f'<span>orders</span><span class="soft">{service["id"]}</span>' in page


def test_markup_in_a_name_is_escaped(sandbox: Sandbox, browser: httpx.Client) -> None:
    """This holds for the page, its parts, the log and pictures."""
    board = board_with_alert(sandbox)
    sandbox.add("services", name=MARKUP)
    browser.get(f"/{MARKUP}")
    known = {"id": board["id"]}
    shown = [
        browser.get("/").text,
        json.dumps(parts(browser)),
        browser.get("/_sandbox/page/dashboard", params=known).text,
        browser.get("/_sandbox/page/picture", params=known).text,
    ]
    for text in shown:
        assert MARKUP not in text
        assert "&lt;script&gt;alert(1)" in text


def test_markup_in_an_address_is_escaped(sandbox: Sandbox, browser: httpx.Client) -> None:
    """Clients escape it; a plain socket does not."""
    with socket.create_connection(("127.0.0.1", urlsplit(sandbox.url).port or 0)) as connection:
        lines = [f"GET /<b>?{MARKUP} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", "", ""]
        connection.sendall("\r\n".join(lines).encode())
        while connection.recv(4096):
            pass
    shown = parts(browser)["log"]
    assert f"/&lt;b&gt;?{escape(MARKUP)}" in shown
    assert MARKUP not in shown


def test_page_has_no_credentials(sandbox: Sandbox, browser: httpx.Client) -> None:
    """It hides initial credentials, created ones, and those in requests."""
    with sandbox.management() as managed:
        key = managed.post("/keys", json={"name": "ci", "state": "enabled", "roles": ["developer"]}).json()["result"]
        body = {"name": "s", "provider": "aws", "region": "eu-central-1"}
        password = managed.post("/services", json=body).json()["result"]["password"]
    board_with_alert(sandbox)
    secrets = [sandbox.config[name] for name in sandbox.secret_keys]
    text = browser.get("/").text + json.dumps(parts(browser))
    for secret in [*secrets, key["keySecret"], password]:
        assert len(secret) > 10
        assert secret not in text


def test_page_has_new_requests(sandbox: Sandbox, browser: httpx.Client) -> None:
    """The newest come first; later updates have only new ones."""
    assert parts(browser)["log"] == ""
    sandbox.fault("list_services", "status", status=503)
    with sandbox.management() as managed:
        managed.get("/services")
        first = parts(browser)
        managed.get("/services")
    assert first["next"] == 1
    assert "fault: status" in first["log"]
    assert ">503<" in first["log"]
    second = parts(browser, first["next"])
    assert second["log"].count("<li>") == 1
    assert ">200<" in second["log"]
    whole = browser.get("/").text
    assert whole.index(">200<") < whole.index(">503<")


def test_page_starts_again_after_a_reset(sandbox: Sandbox, browser: httpx.Client) -> None:
    """After a reset the numbers of requests start at 0 again."""
    browser.get("/one")
    assert parts(browser, 500)["log"].count("<li>") == 1
    assert parts(browser, 500)["next"] == 1
    assert browser.get("/_sandbox/page/parts", params={"since": "x"}).json()["next"] == 1
    sandbox.forget_requests()
    assert parts(browser, 1)["next"] == 0


def test_requests_of_the_page_are_not_in_the_log(browser: httpx.Client) -> None:
    """The log has only the requests of programs."""
    page = browser.get("/").text
    assert '<link rel="icon" href="data:,">' in page
    parts(browser)
    assert parts(browser)["next"] == 0


PICTURES = {"wide": "", "narrow": "&form=narrow"}


@pytest.mark.parametrize("form", PICTURES.values(), ids=PICTURES)
def test_dashboards_are_drawn_with_their_alerts(sandbox: Sandbox, browser: httpx.Client, form: str) -> None:
    """The page has the addresses of each picture for wide and narrow screens."""
    board = board_with_alert(sandbox)
    place = re.search(rf"/_sandbox/page/picture\?id={board['id']}&amp;v=[0-9a-f]+", browser.get("/").text)
    assert place
    response = browser.get(place.group().replace("&amp;", "&") + form)
    assert response.headers["content-type"] == "image/svg+xml"
    words = [each.text for each in ET.fromstring(response.text.encode()).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314
    assert {"Errors", "line · Logs", "at or above 7, every 5m"} <= set(words)


def test_changed_alert_changes_the_address_of_the_picture(sandbox: Sandbox, browser: httpx.Client) -> None:
    """Browsers cache a picture by its address."""
    board_with_alert(sandbox)
    before = parts(browser)["boards"]
    (alert,) = sandbox.alerts.values()
    sandbox.change("alerts", alert["id"], threshold=9)
    assert parts(browser)["boards"] != before


def test_dashboards_of_a_service_are_drawn(browser: httpx.Client, sandbox: Sandbox) -> None:
    """Each has the alerts and sources of its server."""
    service = sandbox.add("services", name="orders")
    made = sandbox.add("dashboards", serviceId=service["id"], **BOARD)
    response = browser.get("/_sandbox/page/dashboard", params={"id": made["id"]})
    assert response.status_code == 200
    assert "Errors" in response.text


def test_deleted_dashboard_is_a_404(browser: httpx.Client) -> None:
    """The response is a page with a message."""
    response = browser.get("/_sandbox/page/picture", params={"id": MARKUP})
    assert response.status_code == 404
    assert "Dashboard not found" in response.text


# -- faults ------------------------------------------------------------------------------------------------------------

FORM = {"operation": "list_services", "kind": "status", "times": "2", "after": "", "wait": "", "status": "503"}


def test_form_sets_and_clears_a_fault(sandbox: Sandbox, browser: httpx.Client) -> None:
    """The form works without a script; each fault has its own button."""
    assert browser.post("/_sandbox/page/faults", data=FORM).status_code == 303
    assert browser.post("/_sandbox/page/faults", data={**FORM, "times": "1"}).status_code == 303
    assert [fault["times"] for fault in sandbox.faults()] == [2, 1]
    page = browser.get("/").text
    assert "status of list_services, 2 times, status 503" in page
    buttons = re.findall(r'name="fault" value="([^"]+)"', page)
    described = buttons[1].replace("&quot;", '"')
    assert browser.post("/_sandbox/page/faults/clear", data={"fault": described}).status_code == 303
    assert [fault["times"] for fault in sandbox.faults()] == [2]
    again = browser.post("/_sandbox/page/faults/clear", data={"fault": described})
    assert again.status_code == 400
    assert "has changed since" in again.text


WRONG = {
    "no such kind": ({"kind": "explode"}, "explode"),
    "no such operation": ({"operation": MARKUP}, "no operation is named"),
    "no number": ({"times": "often"}, "often"),
    "a detail of another kind": ({"kind": "lose"}, "has no detail"),
}


@pytest.mark.parametrize(("change", "words"), WRONG.values(), ids=WRONG)
def test_invalid_fault_has_a_message(
    sandbox: Sandbox, browser: httpx.Client, change: dict[str, str], words: str
) -> None:
    """The page has the message, and no fault is set."""
    response = browser.post("/_sandbox/page/faults", data={**FORM, **change})
    assert response.status_code == 400
    assert words in response.text
    assert MARKUP not in response.text
    assert sandbox.faults() == []


# -- refused requests --------------------------------------------------------------------------------------------------

READ = ("GET", "/")
LIVE = ("GET", "/_sandbox/page/parts")
STATE = ("GET", "/_sandbox/state")
SET = ("POST", "/_sandbox/page/faults")
RESET = ("POST", "/_sandbox/reset")
REFUSED: dict[str, tuple[tuple[str, str], dict[str, str]]] = {
    "a name of their own that points here": (READ, {"Host": "evil.example"}),
    "the same, with the port": (LIVE, {"Host": "evil.example:8980"}),
    "the same, control routes": (STATE, {"Host": "evil.example"}),
    "a form of another site": (SET, {"Origin": "https://evil.example"}),
    "a form of another port": (SET, {"Origin": "http://127.0.0.1:9"}),
    "a form of a sandboxed frame": (SET, {"Origin": "null"}),
    "a request of another site": (RESET, {"Sec-Fetch-Site": "cross-site"}),
    "a request of a sister site": (RESET, {"Sec-Fetch-Site": "same-site"}),
    "a change of another origin": (RESET, {"Origin": "https://evil.example"}),
}


@pytest.mark.parametrize(("request_", "headers"), REFUSED.values(), ids=REFUSED)
def test_requests_of_other_sites_are_refused(
    sandbox: Sandbox, browser: httpx.Client, request_: tuple[str, str], headers: dict[str, str]
) -> None:
    """Requests of the user's browser for another page change and return nothing."""
    sandbox.fault("*", "delay", wait=0.01)
    response = browser.request(*request_, headers=headers, data=FORM if request_ == SET else None)
    assert response.status_code == 403
    assert sandbox.url not in response.text
    assert len(sandbox.faults()) == 1


ALLOWED: dict[str, dict[str, str]] = {
    "a program": {},
    "our own page": {"Sec-Fetch-Site": "same-origin"},
    "the address bar": {"Sec-Fetch-Site": "none"},
}


@pytest.mark.parametrize("headers", ALLOWED.values(), ids=ALLOWED)
def test_own_page_and_programs_are_accepted(sandbox: Sandbox, browser: httpx.Client, headers: dict[str, str]) -> None:
    """Browsers send the page's own origin, programs none."""
    own = {"Origin": sandbox.url} if headers else {}
    assert browser.post("/_sandbox/reset", headers={**headers, **own}).status_code == 200
    assert browser.get("/", headers={"Host": sandbox.url.replace("http://127.0.0.1", "localhost")}).status_code == 200


def test_policy_allows_only_the_own_script(sandbox: Sandbox, browser: httpx.Client) -> None:
    """The policy has the script's hash, and no external file may be loaded."""
    board = board_with_alert(sandbox)
    policy = browser.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy
    assert len(re.findall(r"script-src 'sha256-[^' ]+';", policy)) == 1
    for path in ("picture", "dashboard"):
        headers = browser.get(f"/_sandbox/page/{path}", params={"id": board["id"]}).headers
        assert "script-src" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
