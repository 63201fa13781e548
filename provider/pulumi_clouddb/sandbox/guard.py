"""Who may use the page and the control routes, which take no credentials: this machine, and no other site's page.

A web page that the user has open elsewhere can send requests to loopback, too. It can make a name of its own point here
(DNS rebinding), which the Host header shows, and it can post a form, which Origin and Sec-Fetch-Site show.
"""

from __future__ import annotations

import ipaddress

from starlette.requests import Request

from pulumi_clouddb.models.config import LOOPBACK

from .responses import HTTPError

SAFE = ("GET", "HEAD")
SAME = (None, "same-origin", "none")
"""What Sec-Fetch-Site says of our own page and of the address bar; other programs than browsers send none."""


def check_local(request: Request) -> None:
    """Let in what comes from this machine by a name of it, and changes only from our own page or from no page at all.

    Raises:
        HTTPError: It does not.
    """
    address = request.client.host if request.client else "127.0.0.1"
    if not ipaddress.ip_address(address).is_loopback or request.url.hostname not in LOOPBACK:
        raise HTTPError(403, "the control routes answer to loopback only")
    if request.method in SAFE:
        return
    origin, own = request.headers.get("origin"), f"{request.url.scheme}://{request.headers.get('host', '')}"
    if origin not in (None, own) or request.headers.get("sec-fetch-site") not in SAME:
        raise HTTPError(403, "the control routes take no changes from a page of another site")
