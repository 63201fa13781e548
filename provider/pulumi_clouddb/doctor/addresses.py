"""Checks the addresses: names, ports, certificates, proxies, and whether what answers is an API at all."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pulumi_clouddb.api.client import trusted
from pulumi_clouddb.api.errors import ConnectError, ServerError, UnsupportedOperationError
from pulumi_clouddb.api.exchange import Exchange, proxy_of
from pulumi_clouddb.models.config import is_loopback
from pulumi_clouddb.models.redaction import redact

from .finding import Finding, error, ok
from .servers import Management, SelfHosted, Server
from .situation import Situation

_EXPIRED, _NOT_YET, _WRONG_NAME, _WRONG_IP = 10, 9, 62, 64
"""Why a certificate is not taken (openssl: x509_vfy.h); the rest is a chain that ends in nobody who is trusted."""


def check_addresses(situation: Situation) -> Iterator[Finding]:
    """Yield for each server why it cannot be reached, or that it answers."""
    for server in situation.servers:
        exchange = server.decisive
        where = f"clouddb:{server.setting} {server.address}"
        if server.responded:
            yield ok("address", f"{where} answers as an API")
        elif isinstance(exchange.error, ConnectError):
            yield _unconnected(situation, server, exchange, where)
        elif exchange.status is None:
            text = f"{where} took the connection and did not answer: {_words(exchange)}"
            yield error("no-answer", text, *_other_address(situation, server))
        else:
            yield _no_api(situation, server, exchange, where)


def _other_address(situation: Situation, server: Server, value: str | None = None) -> tuple[str, str]:
    return "Set the address of its API:", situation.to_set(server.setting, value)


def _words(exchange: Exchange) -> str:
    return redact(getattr(exchange.error, "message", str(exchange.error)))


# -- no connection ---------------------------------------------------------------------------------------------------


def _unconnected(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    """Return why there is no connection, by the innermost cause that says so."""
    url = urlsplit(server.address)
    host, port = url.hostname or "", url.port or {"http": 80}.get(url.scheme, 443)
    proxy = proxy_of(server.address)
    causes = list(exchange.causes)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return _certificate(situation, server, cause, host, where)
        if isinstance(cause, ssl.SSLError):
            if url.scheme == "https" and is_loopback(host):
                right = f"http{server.address[5:]}"
                text = f"{where}: what listens on port {port} speaks no TLS"
                return error(
                    "no-tls",
                    text,
                    "Use plain http, which is taken for loopback:",
                    situation.to_set(server.setting, right),
                )
            text = f"{where}: what listens on port {port} speaks no TLS that can be used ({_words(exchange)})"
            return error("no-tls", text, *_other_address(situation, server))
    if proxy:
        text = f"{where}: the proxy {proxy}, which the environment names, leads to no connection ({_words(exchange)})"
        return error("proxy", text, "Correct the proxy, or reach the server without it:", f'export NO_PROXY="{host}"')
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            text = f"{where}: the name {host} is not known ({cause.strerror})"
            return error(
                "unknown-name",
                text,
                "Correct the name, or ask for it in the network that knows it:",
                situation.to_set(server.setting),
            )
        if isinstance(cause, ConnectionRefusedError):
            text = f"{where}: nothing listens on port {port} of {host}"
            return error(
                "refused",
                text,
                "Start the server there, or set the address of the one that runs:",
                situation.to_set(server.setting),
            )
    text = f"{where}: no connection ({_words(exchange)})"
    return error(
        "no-connection",
        text,
        "Check the network and its firewalls, or set another address:",
        situation.to_set(server.setting),
    )


def _certificate(
    situation: Situation, server: Server, cause: ssl.SSLCertVerificationError, host: str, where: str
) -> Finding:
    reason = cause.verify_message or "it does not verify"
    if cause.verify_code in (_EXPIRED, _NOT_YET):
        text = f"{where}: {reason} (the certificate of {host})"
        return error(
            "certificate-expired", text, "Have its operator renew it; if it is good, set this machine's clock."
        )
    if cause.verify_code in (_WRONG_NAME, _WRONG_IP):
        names = _names_in_certificate(server.address)
        text = f"{where}: the certificate is not of {host}" + (f" but of {', '.join(names)}" if names else "")
        right = server.address.replace(host, names[0], 1) if names and "*" not in names[0] else None
        return error(
            "certificate-name",
            text,
            "Use the name that the certificate is of:",
            situation.to_set(server.setting, right),
        )
    text = f"{where}: nobody who is trusted here has signed the certificate of {host} ({reason})"
    return error(
        "certificate-untrusted",
        text,
        "Ask its operator for the certificate of the authority that signed it, and trust the ones in this file:",
        "export SSL_CERT_FILE=YOUR_AUTHORITIES.pem",
    )


def _names_in_certificate(address: str) -> list[str]:
    """Return the names that a certificate is of, which is good but for its names; nothing is sent."""
    url = urlsplit(address)
    context = ssl.create_default_context()
    for each in trusted().get_ca_certs(binary_form=True):
        context.load_verify_locations(cadata=each)
    context.check_hostname = False
    with (
        suppress(OSError),
        socket.create_connection((url.hostname or "", url.port or 443), timeout=5) as plain,
        context.wrap_socket(plain, server_hostname=url.hostname) as secure,
    ):
        names: Any = (secure.getpeercert() or {}).get("subjectAltName", ())
        return [str(name) for kind, name in names if kind in ("DNS", "IP Address")]
    return []


# -- an answer that is none of an API --------------------------------------------------------------------------------


def _no_api(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    if (target := exchange.redirected_to) is not None:
        return _redirect(situation, server, target, where)
    if isinstance(exchange.error, ServerError):
        text = f"{where} answers with an error of its own or of a gateway ({exchange.status})"
        return error(
            "server-error", text, "Look at the server and the gateway before it, then run again:", situation.again
        )
    if found := _other_server(situation, server, where):
        return found
    what = f"{exchange.status} and {exchange.media or 'no content'}"
    through = f" through the proxy {proxy}" if (proxy := proxy_of(server.address)) else ""
    if isinstance(exchange.error, UnsupportedOperationError):
        text = f"{where} has no {exchange.operation.path.partition('{')[0]}{through}: it answers with {what}"
        fix = f"Set the address of its API, without {server.prefix}; paths of its own belong in clouddb:paths:"
        return error("no-such-path", text, fix, situation.to_set(server.setting))
    text = f"{where} is not the address of an API{through}: it answers with {what}"
    return error("page", text, *_other_address(situation, server))


def _redirect(situation: Situation, server: Server, target: SplitResult, where: str) -> Finding:
    # The path is left out: it may hold a token.
    to = f"{target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else "another path"
    text = f"{where} answers with a redirect to {to}, and credentials follow no redirect"
    # The path of a request is the same at both ends, so that what is before it is the address.
    right, found, _ = target.geturl().partition(f"{server.prefix}/")
    if not found or "://" not in right:
        return error("redirect", text, *_other_address(situation, server))
    return error(
        "redirect",
        text,
        "If this is the server that you mean, set its address:",
        situation.to_set(server.setting, right),
    )


def _other_server(situation: Situation, server: Server, where: str) -> Finding | None:
    """Return the finding that another of the servers is at an address, if it is."""
    if isinstance(server, SelfHosted):
        if server.api_address:
            text = f"{where} is the address of the user interface, and the API is below it"
            return error("user-interface", text, *_other_address(situation, server, server.api_address))
        if server.is_management:
            text = f"{where} is the address of a management API, and not of a self-hosted observability server"
            return error("other-server", text, "Set it as clouddb:baseUrl:", _moved(situation, server, "baseUrl"))
    elif isinstance(server, Management) and server.is_self_hosted:
        text = f"{where} is the address of a self-hosted observability server, and not of the management API"
        return error("other-server", text, "Set it as clouddb:stackUrl:", _moved(situation, server, "stackUrl"))
    return None


def _moved(situation: Situation, server: Server, to: str) -> str:
    return f"{situation.to_set(to, server.address)}; {situation.to_set(server.setting)}"
