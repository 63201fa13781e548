"""The account that a run uses: its server, its credentials, and requests that no front end sends."""

from __future__ import annotations

import itertools
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import httpx

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.client.operation import Operation, ServerKind
from pulumi_clouddb.client.responses import seconds_until_reset
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .guard import Run
from .proxy import SECONDS, WHO

UNNAMED_RESET = 10.0
"""Seconds to wait after a 429 that names none."""

LIMITED = 429
MOST_WAITS = 5
"""How often in a row one request waits for the rate limit."""

CONFLICT_MINUTES = 2.0
"""How long a request that is refused with 409 is sent again; the sweep sends deletions once more."""

STEPS = (0.0, 1.0, 2.0, 5.0, 10.0)
"""Seconds between the first polls of a wait; the last ones repeat."""


NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""The proxy uses plain http; httpx would load the certificate authorities for each request."""


class Kind(str, Enum):
    """The servers that a run can use."""

    CLOUD = "cloud"
    OBSERVABILITY = "observability"


@dataclass(frozen=True)
class Account:
    """An account, as a run reaches it through the proxy.

    Attributes:
        kind: Which server it is on.
        config: How programs would be configured for it, without the proxy.
        run: The run, whose names its objects have.
        proxy_url: The address of the proxy.
        sleep: Waits for the rate limit.
    """

    kind: Kind
    config: ProviderConfig
    run: Run
    proxy_url: str = ""
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    @property
    def base_url(self) -> str:
        """The address of the server, without the prefix of the API."""
        return server_of(self.kind, self.config)

    @property
    def organization_id(self) -> str:
        """The id of the organization; empty for a self-hosted server."""
        return str(self.config.organization_id or "") if self.kind is Kind.CLOUD else ""

    @property
    def credentials(self) -> tuple[str, ...]:
        """Key id and key secret, or the token: what no report may contain."""
        if self.kind is Kind.CLOUD:
            return self.config.key_id or "", self.config.key_secret or ""
        return (self.config.stack_token or "",)

    @property
    def dialect(self) -> VocabularyName:
        """The dialect of the server."""
        return self.config.vocabulary

    @property
    def stack_config(self) -> dict[str, str]:
        """The stack configuration with which a front end reaches the server through the proxy, and no other one."""
        common = {
            "clouddb:baseUrl": self.proxy_url,
            "clouddb:stackUrl": self.proxy_url,
            "clouddb:vocabulary": self.dialect.value,
            "clouddb:pollIntervalSeconds": str(self.config.poll_interval_seconds),
            "clouddb:pacing": str(self.config.pacing).lower(),
        }
        if self.kind is Kind.OBSERVABILITY:
            (token,) = self.credentials
            return {**common, "clouddb:stackToken": token}
        key_id, key_secret = self.credentials
        own = {"organizationId": self.organization_id, "keyId": key_id}
        own |= {"keySecret": key_secret, "paid": str(self.config.paid).lower()}
        if self.config.organization_tier is not None:
            own["organizationTier"] = self.config.organization_tier.value
        return {**common, **{f"clouddb:{name}": value for name, value in own.items()}}

    @property
    def provider_config(self) -> ProviderConfig:
        """The configuration with which the provider's core reaches the server through the proxy."""
        return ProviderConfig.model_validate({k.removeprefix("clouddb:"): v for k, v in self.stack_config.items()})

    def path(self, operation: Operation, **places: str) -> str:
        """Return the path of an operation on this server; `places` fill its placeholders."""
        path = DIALECTS[self.dialect].path(operation.path)
        return path.format(**{"organizationId": self.organization_id, **places})

    def raw(
        self, method: str, path: str, json: Any = None, *, who: str = "probe", headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Send one request through the proxy, and wait as long as the rate limit requires.

        Args:
            method: HTTP method.
            path: The path with the prefix of the API, such as `/v1/organizations`.
            json: The body, in the server's names; none if it is None.
            who: What the request belongs to, for listeners of the proxy.
            headers: More headers.

        Raises:
            httpx.HTTPError: There was no response.
        """
        for _ in range(MOST_WAITS):
            response = self._send(method, path, json, {WHO: who, **(headers or {})})
            if response.status_code != LIMITED:
                return response
            self.sleep(reset_of(response))
        return response

    def until(self, read: Callable[[], Any], done: Callable[[Any], object], minutes: float = 30.0) -> Any:
        """Return what `read` returns once it is `done`, or what it returned last."""
        steps, waited, found = itertools.chain(STEPS, itertools.repeat(STEPS[-1])), 0.0, read()
        while not done(found) and waited <= minutes * 60:
            seconds = next(steps)
            self.sleep(seconds)
            waited, found = waited + seconds, read()
        return found

    def patiently(self, method: str, path: str, json: Any = None, *, who: str = "probe") -> httpx.Response:
        """Send a request, again while the server refuses it with 409: it may still work on the object.

        Raises:
            httpx.HTTPError: There was no response.
        """
        found: httpx.Response = self.until(
            lambda: self.raw(method, path, json, who=who),
            lambda seen: seen.status_code != httpx.codes.CONFLICT,
            CONFLICT_MINUTES,
        )
        return found

    def _send(self, method: str, path: str, json: Any, headers: dict[str, str]) -> httpx.Response:
        auth = None
        if self.kind is Kind.CLOUD:
            auth = httpx.BasicAuth(*self.credentials)
        else:
            headers["Authorization"] = f"Bearer {self.credentials[0]}"
        body = {} if json is None else {"json": json}
        with httpx.Client(auth=auth, headers=headers, timeout=SECONDS, trust_env=False, verify=NO_TLS) as http:
            return http.request(method, f"{self.proxy_url}{path}", **body)


def server_of(kind: Kind, config: ProviderConfig) -> str:
    """Return the address of the server of a configuration.

    Raises:
        ValueError: The configuration names none.
    """
    server = ServerKind.MANAGEMENT if kind is Kind.CLOUD else ServerKind.SELF_HOSTED
    if server is ServerKind.SELF_HOSTED:
        address = config.stack_url
    else:
        address = config.base_url or DIALECTS[config.vocabulary].base_url
    if not address:
        raise ValueError(f"no address is configured for {kind.value}")
    return address.rstrip("/")


def result_of(response: httpx.Response) -> Any:
    """Return the result of a successful response.

    Raises:
        ValueError: The server refused the request.
    """
    if not response.is_success:
        raise ValueError(
            f"{response.request.method} {response.request.url.path}: {response.status_code} {response.text}"
        )
    body = response.json() if response.content else {}
    return body.get("result", body.get("data"))


def reset_of(response: httpx.Response) -> float:
    """Return the seconds until the server accepts the next request, and one more, as its clock may be behind."""
    seconds = seconds_until_reset(response.headers)
    return UNNAMED_RESET if seconds is None else seconds + 1
