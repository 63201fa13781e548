"""Servers in front of a sandbox: with TLS, with other paths, or with another response."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Route = Callable[[str], str | tuple[int, dict[str, str], str]]
"""Returns the sandbox's path for the path of a request, or a response: status, headers and body."""

PAGE = (404, {"content-type": "text/html"}, "<pre>Cannot GET</pre>")
"""The response of both servers to an unknown path."""


class Front:
    """A server in front of a sandbox; use it as a context manager.

    Args:
        sandbox: The address of the sandbox.
        route: Handles a request; the default forwards it.
        tls: Its certificate; without one, plain HTTP.
        host: The address on which it listens.
    """

    def __init__(
        self, sandbox: str, route: Route = str, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                routed = route(self.path)
                status, headers, body = (
                    _forward(sandbox, routed, self.headers["authorization"]) if isinstance(routed, str) else routed
                )
                content = body.encode()
                self.send_response_only(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Log nothing."""

        self._server = ThreadingHTTPServer((host, 0), Handler)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"{'https' if tls else 'http'}://{host}:{self.port}"

    def __enter__(self) -> Front:
        """Start the server."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


def _forward(sandbox: str, path: str, authorization: str | None) -> tuple[int, dict[str, str], str]:
    url = urlsplit(sandbox)
    connection = http.client.HTTPConnection(url.hostname or "", url.port or 80, timeout=30)
    try:
        connection.request("GET", path, headers={"authorization": authorization} if authorization else {})
        response = connection.getresponse()
        body = response.read().decode()
    finally:
        connection.close()
    omitted = ("content-length", "connection", "transfer-encoding")
    headers = {name: value for name, value in response.getheaders() if name.lower() not in omitted}
    return response.status, headers, body
