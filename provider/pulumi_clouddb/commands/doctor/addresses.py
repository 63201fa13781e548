"""Checks the addresses: names, ports, certificates, proxies, and whether what answers is an API at all."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import SplitResult, urlsplit

from pulumi_clouddb.client.errors import (
    ConnectError,
    RateLimitError,
    ServerError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.exchange import Exchange, proxy_of
from pulumi_clouddb.client.transport import trusted
from pulumi_clouddb.schema.config import is_loopback
from pulumi_clouddb.schema.redaction import redact

from .finding import Finding, error, ok
from .servers import Management, SelfHosted, Server
from .situation import Situation

_EXPIRED, _NOT_YET, _WRONG_NAME, _WRONG_IP = 10, 9, 62, 64
"""Why a certificate is rejected (openssl: x509_vfy.h); the rest is a chain that ends in nobody who is trusted."""

_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME (openssl: x509_vfy.h), which Python has no name for."""

PROBE_SECONDS = 5.0
"""A handshake that takes longer shows nothing."""

MORE_SECONDS, LONGEST_TIMEOUT = 60.0, 600.0
"""How long to wait for a slow server: at least, and at most."""


def check_addresses(situation: Situation) -> Iterator[Finding]:
    """Yield for each server why it cannot be reached, or that it answers."""
    for server in situation.servers:
        exchange = server.decisive
        where = f"clouddb:{server.setting} {server.address}"
        if server.responded:
            yield _response(situation, server, exchange, where)
        elif isinstance(exchange.error, ConnectError):
            yield from _unconnected(situation, server, exchange, where)
        elif server.address.startswith("http://") and _speaks_tls(server.address):
            yield _tls(situation, server, where)
        elif exchange.status is None:
            yield _no_response(situation, server, exchange, where)
        else:
            yield _no_api(situation, server, exchange, where)


def _response(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    """Return that an API has answered; what it says of credentials, organization or limit, other checks report."""
    told = server.accepts or server.blames_organization
    if told or isinstance(exchange.error, (UnauthorizedError, RateLimitError)):
        return ok("address", f"{where} answers as an API")
    text = f"{where} refuses to list {server.lists}: {exchange.status} {_words(exchange)}"
    fix = "Set the address of its API; if this is it, show these words to who runs the server:"
    return error("refused-request", text, fix, situation.to_set(server.setting))


def _tls(situation: Situation, server: Server, where: str) -> Finding:
    text = f"{where}: what listens on port {_host_and_port(server.address)[1]} speaks TLS"
    return error("tls", text, "Use https:", situation.to_set(server.setting, f"https{server.address[4:]}"))


def _no_response(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    seconds = server.config.request_timeout_seconds
    if "it took more than" in _words(exchange):
        more = str(round(min(LONGEST_TIMEOUT, max(MORE_SECONDS, seconds * 2))))
        text = f"{where} accepted the connection and did not answer within {seconds:g} s"
        fix = "Look at the server and the gateway before it; if they are only slow, wait longer for each response:"
        return error("timeout", text, fix, situation.to_set("requestTimeoutSeconds", more))
    text = f"{where} accepted the connection and did not answer: {_words(exchange)}"
    return error("no-answer", text, *_other_address(situation, server))


def _other_address(situation: Situation, server: Server, value: str | None = None) -> tuple[str, str]:
    return "Set the address of its API:", situation.to_set(server.setting, value)


def _words(exchange: Exchange) -> str:
    return redact(getattr(exchange.error, "message", str(exchange.error)))


# -- no connection ---------------------------------------------------------------------------------------------------


def _unconnected(situation: Situation, server: Server, exchange: Exchange, where: str) -> Iterator[Finding]:
    """Yield why there is no connection, by the innermost cause that says so."""
    host, port = _host_and_port(server.address)
    causes = list(exchange.causes)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            yield from _certificate(situation, server, cause, where)
            return
    yield _no_connection(situation, server, exchange, where, host, port)


def _no_connection(
    situation: Situation, server: Server, exchange: Exchange, where: str, host: str, port: int
) -> Finding:
    causes = list(exchange.causes)
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            if server.address.startswith("https") and is_loopback(host):
                right = f"http{server.address[5:]}"
                text = f"{where}: what listens on port {port} speaks no TLS"
                fix = "Use plain http, which is accepted for loopback:"
                return error("no-tls", text, fix, situation.to_set(server.setting, right))
            text = f"{where}: what listens on port {port} speaks no TLS that can be used ({_words(exchange)})"
            return error("no-tls", text, *_other_address(situation, server))
    proxy = proxy_of(server.address)
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
    if server.address.startswith("https") and _accepts_connections(server.address):
        text = f"{where}: what listens on port {port} accepts the connection and begins no TLS ({_words(exchange)})"
        fix = "Look at the server and the gateway before it, or set another address:"
        return error("no-tls", text, fix, situation.to_set(server.setting))
    text = f"{where}: no connection ({_words(exchange)})"
    return error(
        "no-connection",
        text,
        "Check the network and its firewalls, or set another address:",
        situation.to_set(server.setting),
    )


def _host_and_port(address: str) -> tuple[str, int]:
    url = urlsplit(address)
    return url.hostname or "", url.port or {"http": 80}.get(url.scheme, 443)


def _accepts_connections(address: str) -> bool:
    with suppress(OSError), socket.create_connection(_host_and_port(address), timeout=PROBE_SECONDS):
        return True
    return False


@dataclass(frozen=True)
class _Certificate:
    """A certificate that a server shows, whoever signed it.

    Attributes:
        names: The names and IP addresses that it is of.
        begins: When it becomes valid, in seconds since 1970.
        ends: When it expires.
        trusted: Whether somebody who is trusted here signed it.
    """

    names: tuple[str, ...]
    begins: float
    ends: float
    trusted: bool


def _certificate(
    situation: Situation, server: Server, cause: ssl.SSLCertVerificationError, where: str
) -> Iterator[Finding]:
    """Yield everything that is wrong with a certificate: OpenSSL reports only the first fault that it meets."""
    host, _ = _host_and_port(server.address)
    seen = _certificate_of(server.address)
    now = time.time()
    reason = cause.verify_message or "it does not verify"
    expired = cause.verify_code == _EXPIRED or bool(seen and seen.ends < now)
    early = cause.verify_code == _NOT_YET or bool(seen and seen.begins > now)
    misnamed = cause.verify_code in (_WRONG_NAME, _WRONG_IP)
    trusted_here = seen.trusted if seen else expired or early or misnamed
    if expired or early:
        when = f" on {datetime.fromtimestamp(seen.ends, timezone.utc):%Y-%m-%d}" if seen and seen.ends < now else ""
        text = f"{where}: the certificate of {host} {f'has expired{when}' if expired else 'is not valid yet'}"
        renew = "Have its operator renew it; if it is good, set this machine's clock."
        yield error("certificate-expired", text, renew)
    if misnamed or (seen and not _is_of(host, seen.names)):
        names = seen.names if seen else ()
        text = f"{where}: the certificate is not of {host}" + (f" but of {', '.join(names)}" if names else "")
        right = server.address.replace(host, names[0], 1) if names and "*" not in names[0] else None
        rename = "Use the name that the certificate is of:"
        yield error("certificate-name", text, rename, situation.to_set(server.setting, right))
    if not trusted_here:
        text = f"{where}: nobody who is trusted here has signed the certificate of {host} ({reason})"
        trust = "Ask its operator for the certificate of the authority that signed it, and trust the ones in this file:"
        yield error("certificate-untrusted", text, trust, "export SSL_CERT_FILE=YOUR_AUTHORITIES.pem")


def _is_of(host: str, names: tuple[str, ...]) -> bool:
    """Return whether a certificate of these names is of a host; `*` stands for one label."""
    return any(
        name.lower() == host or (name.startswith("*.") and name[2:].lower() == host.partition(".")[2]) for name in names
    )


def _certificate_of(address: str) -> _Certificate | None:
    """Return the certificate that a server shows, or None where it cannot be read."""
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    shown = _handshake(address, anybody)
    if shown is None:
        return None
    own = _of_any_name()
    own.load_verify_locations(cadata=shown[0])
    own.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    known = _of_any_name()
    for each in trusted().get_ca_certs(binary_form=True):
        known.load_verify_locations(cadata=each)
    read = _handshake(address, own)
    if read is None:
        return None
    content = read[1]
    names = [str(name) for kind, name in content.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
    begins, ends = (ssl.cert_time_to_seconds(content[each]) for each in ("notBefore", "notAfter"))
    return _Certificate(tuple(names), begins, ends, _handshake(address, known) is not None)


def _of_any_name() -> ssl.SSLContext:
    """Return a context that judges who signed a certificate, and neither its names nor its time."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_flags |= ssl.VerifyFlags(_NO_CHECK_TIME)
    return context


def _speaks_tls(address: str) -> bool:
    """Return whether a server of plain http answers a TLS handshake, with whatever certificate."""
    anybody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    return _handshake(address, anybody) is not None


def _handshake(address: str, context: ssl.SSLContext) -> tuple[bytes, dict[str, Any]] | None:
    """Return the certificate of a handshake, as bytes and what a trusted one says; None where it fails.

    No request is sent.
    """
    host, port = _host_and_port(address)
    with (
        suppress(OSError, ValueError),
        socket.create_connection((host, port), timeout=PROBE_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as secure,
    ):
        return secure.getpeercert(binary_form=True) or b"", secure.getpeercert() or {}
    return None


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
    what = f"{exchange.status} and {'no content' if exchange.is_empty else exchange.media}"
    through = f" through the proxy {proxy}" if (proxy := proxy_of(server.address)) else ""
    if isinstance(exchange.error, UnsupportedOperationError):
        text = f"{where} has no {exchange.operation.path.partition('{')[0]}{through}: it answers with {what}"
        fix = f"Set the address of its API, without {server.prefix}; paths of its own belong in clouddb:paths:"
        return error("no-such-path", text, fix, situation.to_set(server.setting))
    if exchange.media == "application/json":
        what += f", which is not what its API answers ({_words(exchange)})"
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
