"""The lists of a server before September 2026: records and cursor are in the result."""

from __future__ import annotations

import json

import httpx

CURSORS = ("limit", "totalCount", "nextCursor")


class ListsInResult(httpx.BaseTransport):
    """Sends requests, and moves the cursors of the pages of lists from the envelope into the result."""

    def __init__(self) -> None:
        self._transport = httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, in the older form if it is a page of a list."""
        response = self._transport.handle_request(request)
        content = json.loads(response.read() or b"null")
        if isinstance(content, dict) and "nextCursor" in content:
            limit, total, following = (content.pop(each) for each in CURSORS)
            pagination = {"currentCursor": request.url.params.get("cursor"), "limit": limit, "totalRecords": total}
            content["result"] = {
                "items": content["result"],
                "pagination": {**pagination, "nextCursor": following},
            }
        headers = {name: value for name, value in response.headers.items() if name != "content-length"}
        return httpx.Response(response.status_code, headers=headers, content=json.dumps(content).encode())

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()
