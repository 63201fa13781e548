"""What a test or a person can do to a running sandbox, over its control routes."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx

from pulumi_clouddb.schema.config import CREDENTIALS

from .control import PREFIX
from .faults import FaultKind, kind_of
from .log import LoggedRequest
from .settings import Latency

Documents = dict[str, dict[str, Any]]


class SandboxControl:
    """A running sandbox seen from outside; safe to use from any thread.

    Attributes:
        url: Address of the management API.
        stack_url: Address of the self-hosted observability API; the same server.
        organization_id: The one organization.
        key_id: User name of the admin key.
        key_secret: Password of the admin key.
        stack_token: Bearer token of the self-hosted server.
        vocabulary: Words on the wire.
    """

    def __init__(self, url: str) -> None:
        self.url = self.stack_url = url
        self._http = _client(url + PREFIX, timeout=60)
        state = self.state()
        self.organization_id: str = state["identity"]["organizationId"]
        self.key_id: str = state["identity"]["keyId"]
        self.key_secret: str = state["identity"]["keySecret"]
        self.stack_token: str = state["identity"]["stackToken"]
        self._settings: dict[str, Any] = state["settings"]
        self.vocabulary: str = self._settings["vocabulary"]

    @property
    def config(self) -> dict[str, str]:
        """Stack configuration that points a program at this sandbox."""
        config = {
            "clouddb:baseUrl": self.url,
            "clouddb:stackUrl": self.stack_url,
            "clouddb:organizationId": self.organization_id,
            "clouddb:keyId": self.key_id,
            "clouddb:keySecret": self.key_secret,
            "clouddb:stackToken": self.stack_token,
            "clouddb:vocabulary": self.vocabulary,
            "clouddb:organizationTier": self._settings["organization_tier"],
            # Looking often is what the limit is against; without a limit there is nothing to pace for.
            "clouddb:pollIntervalSeconds": "2" if self._settings["rate_limit"] else "0.05",
            "clouddb:pacing": "true" if self._settings["rate_limit"] else "false",
        }
        return config if self._settings["paid"] else {**config, "clouddb:paid": "false"}

    @property
    def secret_keys(self) -> frozenset[str]:
        """The keys of `config` whose values are secret."""
        return CREDENTIALS

    def management(self, key_id: str | None = None, key_secret: str | None = None) -> httpx.Client:
        """Return an HTTP client of the management API, below the organization; by default with the admin key."""
        auth = (key_id or self.key_id, key_secret or self.key_secret)
        return _client(f"{self.url}/v1/organizations/{self.organization_id}", auth=auth)

    def self_hosted(self, token: str | None = None) -> httpx.Client:
        """Return an HTTP client of the self-hosted server, below `/api/v2`."""
        headers = {"Authorization": f"Bearer {token or self.stack_token}"}
        return _client(f"{self.stack_url}/api/v2", headers=headers)

    def state(self) -> dict[str, Any]:
        """Return counts by kind, settings, latency, credentials and the sandbox's time."""
        found: dict[str, Any] = self._call("GET", "/state")
        return found

    def fault(
        self,
        operation: str,
        kind: FaultKind | str,
        times: int | None = None,
        seconds: float | None = None,
        **details: Any,
    ) -> None:
        """Let something go wrong.

        Args:
            operation: Name of an operation in `api.operations`, or `*`.
            kind: What goes wrong; see `FaultKind`.
            times: How often; by default once, or as often as asked where `seconds` is given.
            seconds: For how long.
            details: `after` and `match` to choose the request, and what the kind knows, as `Fault` describes it.
        """
        limits = {name: value for name, value in (("times", times), ("seconds", seconds)) if value is not None}
        body = {"operation": operation, "kind": kind_of(kind).value, **limits, **details}
        self._call("POST", "/faults", body)

    def faults(self) -> list[dict[str, Any]]:
        """Return the faults that have not happened yet."""
        found: list[dict[str, Any]] = self._call("GET", "/faults")
        return found

    def clear_faults(self) -> None:
        """Let nothing go wrong any more."""
        self._call("DELETE", "/faults")

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests since the start, or since they were forgotten; control routes are not among them."""
        return self.logged()

    def logged(
        self,
        operation: str | None = None,
        method: str | None = None,
        *,
        since: int = 0,
        limit: int | None = None,
        status: int | str | None = None,
        path: str | None = None,
        match: dict[str, Any] | None = None,
    ) -> list[LoggedRequest]:
        """Return requests from the log, oldest first.

        Args:
            operation: Only requests of this operation.
            method: Only requests of this HTTP method.
            since: Number of the first request to look at; see `LoggedRequest.number`.
            limit: How many requests at most.
            status: Only requests with this status: 404, `4xx`, or `none` where the connection was reset.
            path: Only requests whose paths hold this text.
            match: Only requests whose JSON bodies have these fields with these values.
        """
        wanted: dict[str, Any] = {"operation": operation, "method": method, "since": since, "limit": limit}
        wanted |= {"status": status, "path": path, "match": match and json.dumps(match)}
        query = httpx.QueryParams({name: value for name, value in wanted.items() if value is not None})
        return [LoggedRequest(**entry) for entry in self._call("GET", f"/log?{query}")]

    def forget_requests(self) -> None:
        """Empty the request log."""
        self._call("DELETE", "/log")

    def count(self, operation: str | None = None, method: str | None = None, **which: Any) -> int:
        """Return how many requests are in the log; the arguments are those of `logged`."""
        return len(self.logged(operation, method, **which))

    @property
    def services(self) -> Documents:
        """All services by id, as the server keeps them: in the interface's words and with their state."""
        return self.objects("services")

    @property
    def pipes(self) -> Documents:
        """All pipes by id."""
        return self.objects("pipes")

    @property
    def keys(self) -> Documents:
        """All keys by id, the admin key included."""
        return self.objects("keys")

    @property
    def dashboards(self) -> Documents:
        """All dashboards by id, of every stack."""
        return self.objects("dashboards")

    @property
    def alerts(self) -> Documents:
        """All alerts by id, of every stack."""
        return self.objects("alerts")

    @property
    def sources(self) -> Documents:
        """All data sources by id, of every stack."""
        return self.objects("sources")

    def objects(self, kind: str) -> Documents:
        """Return everything of a kind by id, oldest first."""
        return {document["id"]: document for document in self._call("GET", f"/{kind}")}

    def add(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Make an object as the API does for these fields, as a colleague in the console would.

        No rule is asked, and fields may be left out. `serviceId` says which service it belongs to.
        """
        made: dict[str, Any] = self._call("POST", f"/{kind}", fields)
        return made

    def change(self, kind: str, id_: str, /, **fields: Any) -> dict[str, Any]:
        """Change fields of an object behind everybody's back."""
        changed: dict[str, Any] = self._call("PATCH", f"/{kind}/{id_}", fields)
        return changed

    def remove(self, kind: str, id_: str) -> None:
        """Remove an object behind everybody's back, with what belongs to it."""
        self._call("DELETE", f"/{kind}/{id_}")

    def add_pipe(self, service_id: str, kind: str = "kafka", name: str | None = None, **fields: Any) -> dict[str, Any]:
        """Give a service a pipe; kind is kafka, objectStorage, kinesis or postgres, or one of the dialect's own."""
        return self.add("pipes", serviceId=service_id, kind=kind, **({"name": name} if name else {}), **fields)

    def add_key(self, **fields: Any) -> dict[str, Any]:
        """Make a working key and return `key`, `keyId` and `keySecret`."""
        return self.add("keys", **fields)

    def add_backup(self, service_id: str) -> str:
        """Take a backup of a service and return its id, for `backupId`."""
        return str(self.add("backups", serviceId=service_id)["id"])

    def password_works(self, service_id: str, password: str) -> bool:
        """Return whether a client could log in to the service with this password."""
        answer = self._call("POST", f"/services/{service_id}/password", {"password": password})
        return bool(answer["works"])

    def set_latency(self, **seconds: float) -> Latency:
        """Change how long services take, by the fields of `Latency`, and return the whole latency."""
        return Latency(**self._call("POST", "/latency", seconds))

    def advance(self, seconds: float) -> None:
        """Let time pass in the sandbox without waiting."""
        self._call("POST", "/clock", {"advance": seconds})

    def reset(self) -> None:
        """Make the sandbox new again: all objects, faults and requests are forgotten; credentials and clock stay."""
        self._call("POST", "/reset")

    def seed(self, objects: Mapping[str, list[dict[str, Any]]]) -> dict[str, int]:
        """Make objects by kind, as `add` does, and return how many of each kind; all of them or none.

        An object with a name, `"as": "orders"`, can be referred to by the ones after it: `"${orders}"` is its id, and
        `"${board.tiles.0.id}"` a value within it.
        """
        made: dict[str, int] = self._call("POST", "/seed", objects)
        return made

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots, the oldest first."""
        names: list[str] = self._call("GET", "/snapshots")
        return names

    def save_snapshot(self, name: str) -> None:
        """Keep all objects as they are under a name, as long as the sandbox runs."""
        self._call("PUT", f"/snapshots/{quote(name, safe='')}")

    def restore_snapshot(self, name: str) -> None:
        """Make all objects those of a snapshot; faults and the request log stay."""
        self._call("POST", f"/snapshots/{quote(name, safe='')}")

    def close(self) -> None:
        """Close the connections to the sandbox; it goes on running."""
        self._http.close()

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        response = self._http.request(method, path, json=body)
        if response.is_error:
            message = response.json()["error"]
            raise KeyError(message) if response.status_code == 404 else ValueError(message)
        return response.json()


# A sandbox speaks plain http. Loading the certificate authorities, which httpx does otherwise, takes longer than many
# requests; a context without any refuses every https server.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _client(base_url: str, **options: Any) -> httpx.Client:
    # The server closes a connection that is idle for 5 s; one that is used at that moment would fail, and on a busy
    # machine no shorter time of our own is sure to come before.
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=base_url, trust_env=False, verify=_NO_TLS, limits=limits, **options)
