"""Servers before a sandbox: with TLS, with other paths, or with a page in its place."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

Route = Callable[[str], str | tuple[int, dict[str, str], str]]
"""Returns for the path of a request the path at the sandbox, or what is answered: status, headers and body."""

PAGE = (404, {"content-type": "text/html"}, "<pre>Cannot GET</pre>")
"""How both servers answer a path that they do not have."""


class Front:
    """A server before a sandbox; use it as a context manager.

    Args:
        sandbox: The address of the sandbox.
        route: What to do with a request; by default it is passed on.
        tls: Its certificate; plain HTTP without one.
        host: The address that it listens on.
    """

    def __init__(
        self, sandbox: str, route: Route = str, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1"
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = route(self.path)
                status, headers, body = (
                    _passed_on(sandbox, found, self.headers["authorization"]) if isinstance(found, str) else found
                )
                content = body.encode()
                self.send_response_only(status)
                for name, value in {**headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Write nothing."""

        self._server = ThreadingHTTPServer((host, 0), Handler)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"{'https' if tls else 'http'}://{host}:{self.port}"

    def __enter__(self) -> Front:
        """Start to listen."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


def _passed_on(sandbox: str, path: str, authorization: str | None) -> tuple[int, dict[str, str], str]:
    url = urlsplit(sandbox)
    connection = http.client.HTTPConnection(url.hostname or "", url.port or 80, timeout=30)
    try:
        connection.request("GET", path, headers={"authorization": authorization} if authorization else {})
        response = connection.getresponse()
        body = response.read().decode()
    finally:
        connection.close()
    left_out = ("content-length", "connection", "transfer-encoding")
    headers = {name: value for name, value in response.getheaders() if name.lower() not in left_out}
    return response.status, headers, body
