"""Checks the addresses: names, ports, certificates, proxies, and whether the server is the expected API."""

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

from pulumi_clouddb.client.diagnosis import Exchange, proxy_of
from pulumi_clouddb.client.errors import (
    ConnectError,
    RateLimitError,
    ServerError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.transport import trusted
from pulumi_clouddb.schema.config import is_loopback
from pulumi_clouddb.schema.secrets.redaction import redact

from .finding import Finding, error, ok
from .servers import Management, SelfHosted, Server
from .situation import Situation

_EXPIRED, _NOT_YET, _WRONG_NAME, _WRONG_IP = 10, 9, 62, 64
"""Verification errors (openssl: x509_vfy.h); all others mean that the issuer is not trusted."""

_NO_CHECK_TIME = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME (openssl: x509_vfy.h); the ssl module has no name for it."""

PROBE_SECONDS = 5.0
"""Timeout of a probe connection."""

MORE_SECONDS, LONGEST_TIMEOUT = 60.0, 600.0
"""The smallest and the largest request timeout to recommend for a slow server."""


def check_addresses(situation: Situation) -> Iterator[Finding]:
    """Yield for each server that its API responds, or why it does not."""
    for server in situation.servers:
        exchange = server.decisive
        where = f"clouddb:{server.setting} {server.address}"
        if server.responded:
            yield _response(situation, server, exchange, where)
        elif isinstance(exchange.error, ConnectError):
            yield from _connect_error(situation, server, exchange, where)
        elif server.address.startswith("http://") and _handshake(server.address, _unverified()):
            yield _tls(situation, server, where)
        elif exchange.status is None:
            yield _no_response(situation, server, exchange, where)
        else:
            yield _no_api(situation, server, exchange, where)


def _response(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    """Return the finding on a server that responds; other checks report its credentials, organization and limit."""
    if server.accepts or server.blames_organization or isinstance(exchange.error, (UnauthorizedError, RateLimitError)):
        return ok("address", f"{where} responds as an API")
    text = f"{where} rejects the request for {server.lists}: {exchange.status} {_message(exchange)}"
    fix = "Set the address of its API; if it is correct, report this message to the operator of the server:"
    return error("refused-request", text, fix, situation.to_set(server.setting))


def _tls(situation: Situation, server: Server, where: str) -> Finding:
    text = f"{where}: the server on port {_host_and_port(server.address)[1]} expects TLS"
    return error("tls", text, "Use https:", situation.to_set(server.setting, f"https{server.address[4:]}"))


def _no_response(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    seconds = server.config.request_timeout_seconds
    if "it took more than" in _message(exchange):
        more = str(round(min(LONGEST_TIMEOUT, max(MORE_SECONDS, seconds * 2))))
        text = f"{where} accepted the connection and did not respond within {seconds:g} s"
        fix = "Check the server and the gateway in front of it; if they are only slow, increase the timeout:"
        return error("timeout", text, fix, situation.to_set("requestTimeoutSeconds", more))
    text = f"{where} accepted the connection and did not respond: {_message(exchange)}"
    return error("no-answer", text, *_other_address(situation, server))


def _other_address(situation: Situation, server: Server, value: str | None = None) -> tuple[str, str]:
    return "Set the address of its API:", situation.to_set(server.setting, value)


def _message(exchange: Exchange) -> str:
    return redact(getattr(exchange.error, "message", str(exchange.error)))


# -- no connection ---------------------------------------------------------------------------------------------------


def _connect_error(situation: Situation, server: Server, exchange: Exchange, where: str) -> Iterator[Finding]:
    for cause in exchange.causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            yield from _certificate(situation, server, cause, where)
            return
    yield _no_connection(situation, server, exchange, where)


def _no_connection(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    host, port = _host_and_port(server.address)
    to_set, message = situation.to_set(server.setting), _message(exchange)
    causes = list(exchange.causes)
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        if server.address.startswith("https") and is_loopback(host):
            fix = "Use plain http, which is accepted for loopback:"
            to_set = situation.to_set(server.setting, f"http{server.address[5:]}")
            return error("no-tls", f"{where}: the server on port {port} does not support TLS", fix, to_set)
        text = f"{where}: the TLS handshake with the server on port {port} failed ({message})"
        return error("no-tls", text, *_other_address(situation, server))
    if proxy := proxy_of(server.address):
        text = f"{where}: the proxy {proxy} from the environment does not connect ({message})"
        return error("proxy", text, "Correct the proxy, or bypass it:", f'export NO_PROXY="{host}"')
    for cause in causes:
        if isinstance(cause, socket.gaierror):
            text = f"{where}: the host name {host} cannot be resolved ({cause.strerror})"
            return error("unknown-name", text, "Correct the name, or use a network whose DNS resolves it:", to_set)
        if isinstance(cause, ConnectionRefusedError):
            text = f"{where}: nothing listens on port {port} of {host}"
            return error("refused", text, "Start the server there, or set the address of a running one:", to_set)
    if server.address.startswith("https") and _accepts_connections(server.address):
        text = f"{where}: the server on port {port} accepts the connection but does not start TLS ({message})"
        return error("no-tls", text, "Check the server and the gateway in front of it, or set another address:", to_set)
    text = f"{where}: no connection ({message})"
    return error("no-connection", text, "Check the network and its firewalls, or set another address:", to_set)


def _host_and_port(address: str) -> tuple[str, int]:
    url = urlsplit(address)
    return url.hostname or "", url.port or {"http": 80}.get(url.scheme, 443)


def _accepts_connections(address: str) -> bool:
    with suppress(OSError), socket.create_connection(_host_and_port(address), timeout=PROBE_SECONDS):
        return True
    return False


@dataclass(frozen=True)
class _Certificate:
    """The certificate of a server, trusted or not.

    Attributes:
        names: Its DNS names and IP addresses.
        not_before: Start of its validity, in seconds since 1970.
        not_after: End of its validity.
        trusted: Whether this machine trusts its issuer.
    """

    names: tuple[str, ...]
    not_before: float
    not_after: float
    trusted: bool


def _certificate(
    situation: Situation, server: Server, cause: ssl.SSLCertVerificationError, where: str
) -> Iterator[Finding]:
    """Yield every fault of a certificate: OpenSSL reports only the first."""
    host, _ = _host_and_port(server.address)
    certificate = _certificate_of(server.address)
    reason = cause.verify_message or "verification failed"
    invalid_now = _invalid_now(certificate, cause.verify_code)
    misnamed = cause.verify_code in (_WRONG_NAME, _WRONG_IP)
    trusted_here = certificate.trusted if certificate else bool(invalid_now) or misnamed
    if invalid_now:
        renew = "Have its operator renew it; if it is valid, set this machine's clock."
        yield error("certificate-expired", f"{where}: the certificate of {host} {invalid_now}", renew)
    if misnamed or (certificate and not _matches(host, certificate.names)):
        names = certificate.names if certificate else ()
        text = f"{where}: the certificate is not valid for {host}" + (f" but for {', '.join(names)}" if names else "")
        right = server.address.replace(host, names[0], 1) if names and "*" not in names[0] else None
        rename = "Use a name from the certificate:"
        yield error("certificate-name", text, rename, situation.to_set(server.setting, right))
    if not trusted_here:
        text = f"{where}: the certificate of {host} is not signed by a trusted authority ({reason})"
        trust = "Ask its operator for the certificate of the signing authority, and trust it through a file:"
        yield error("certificate-untrusted", text, trust, "export SSL_CERT_FILE=YOUR_AUTHORITIES.pem")


def _invalid_now(certificate: _Certificate | None, code: int) -> str:
    """Return in words that a certificate has expired, or is not valid yet; empty if it is valid now."""
    now = time.time()
    if certificate and certificate.not_after < now:
        return f"expired on {datetime.fromtimestamp(certificate.not_after, timezone.utc):%Y-%m-%d}"
    if code == _EXPIRED:
        return "expired"
    early = code == _NOT_YET or bool(certificate and certificate.not_before > now)
    return "is not valid yet" if early else ""


def _matches(host: str, names: tuple[str, ...]) -> bool:
    """Return whether one of the names matches a host; `*` stands for one label."""
    return any(
        name.lower() == host or (name.startswith("*.") and name[2:].lower() == host.partition(".")[2]) for name in names
    )


def _certificate_of(address: str) -> _Certificate | None:
    """Return the certificate of a server, or None if it cannot be read."""
    untrusted = _handshake(address, _unverified())
    if untrusted is None:
        return None
    # Python decodes a verified certificate only, so that the certificate itself is trusted for a second handshake.
    itself = _issuer_only()
    itself.load_verify_locations(cadata=untrusted[0])
    itself.verify_flags |= ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    verified = _handshake(address, itself)
    if verified is None:
        return None
    authorities = _issuer_only()
    for each in trusted().get_ca_certs(binary_form=True):
        authorities.load_verify_locations(cadata=each)
    content = verified[1]
    names = [str(name) for kind, name in content.get("subjectAltName", ()) if kind in ("DNS", "IP Address")]
    not_before, not_after = (ssl.cert_time_to_seconds(content[each]) for each in ("notBefore", "notAfter"))
    return _Certificate(tuple(names), not_before, not_after, _handshake(address, authorities) is not None)


def _issuer_only() -> ssl.SSLContext:
    """Return a context that verifies the issuer of a certificate, not its names or its validity period."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_flags |= ssl.VerifyFlags(_NO_CHECK_TIME)
    return context


def _unverified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _handshake(address: str, context: ssl.SSLContext) -> tuple[bytes, dict[str, Any]] | None:
    """Return the certificate of a TLS handshake, as bytes and decoded (empty if not verified); None if it fails.

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


# -- a response that is not from the API -----------------------------------------------------------------------------


def _no_api(situation: Situation, server: Server, exchange: Exchange, where: str) -> Finding:
    if (target := exchange.redirected_to) is not None:
        return _redirect(situation, server, target, where)
    if isinstance(exchange.error, ServerError):
        text = f"{where} responds with an error of the server or of a gateway ({exchange.status})"
        fix = "Check the server and the gateway in front of it, then run again:"
        return error("server-error", text, fix, situation.again)
    if found := _other_server(situation, server, where):
        return found
    what = f"{exchange.status} and {'no content' if exchange.is_empty else exchange.media}"
    through = f" through the proxy {proxy}" if (proxy := proxy_of(server.address)) else ""
    if isinstance(exchange.error, UnsupportedOperationError):
        text = f"{where} has no {exchange.operation.path.partition('{')[0]}{through}: it responds with {what}"
        fix = f"Set the address of its API, without {server.prefix}; set custom paths in clouddb:paths:"
        return error("no-such-path", text, fix, situation.to_set(server.setting))
    if exchange.media == "application/json":
        what += f", which is not a response of its API ({_message(exchange)})"
    text = f"{where} is not the address of an API{through}: it responds with {what}"
    return error("page", text, *_other_address(situation, server))


def _redirect(situation: Situation, server: Server, target: SplitResult, where: str) -> Finding:
    # The path is left out: it may contain a token.
    to = f"{target.scheme}://{target.netloc.rpartition('@')[2]}" if target.netloc else "another path"
    text = f"{where} redirects to {to}, and credentials are not sent to the target of a redirect"
    # The redirect keeps the path of the request: the part before the prefix is the address.
    right, found, _ = target.geturl().partition(f"{server.prefix}/")
    if not found or "://" not in right:
        return error("redirect", text, *_other_address(situation, server))
    fix = "If that is the intended server, set its address:"
    return error("redirect", text, fix, situation.to_set(server.setting, right))


def _other_server(situation: Situation, server: Server, where: str) -> Finding | None:
    """Return a finding if the address belongs to another kind of server."""
    if isinstance(server, SelfHosted):
        if server.api_address:
            text = f"{where} is the address of the user interface; the API is below it"
            return error("user-interface", text, *_other_address(situation, server, server.api_address))
        if server.is_management:
            text = f"{where} is the address of a management API, not of a self-hosted observability server"
            return error("other-server", text, "Set it as clouddb:baseUrl:", _moved(situation, server, "baseUrl"))
    elif isinstance(server, Management) and server.is_self_hosted:
        text = f"{where} is the address of a self-hosted observability server, not of the management API"
        return error("other-server", text, "Set it as clouddb:stackUrl:", _moved(situation, server, "stackUrl"))
    return None


def _moved(situation: Situation, server: Server, to: str) -> str:
    return f"{situation.to_set(to, server.address)}; {situation.to_set(server.setting)}"
