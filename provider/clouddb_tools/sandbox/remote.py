"""A client of a running sandbox's control routes. It loads nothing of the server, which takes a second."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx

from clouddb_tools.release import Release

from .logged_request import LoggedRequest
from .settings import PREFIX, Latency

if TYPE_CHECKING:
    from .faults import FaultKind

Documents = dict[str, dict[str, Any]]


class SandboxControl:
    """A client of a running sandbox, safe to use from any thread.

    Attributes:
        url: URL of the management API.
        stack_url: URL of the self-hosted observability API, on the same server.
        organization_id: Id of the organization.
        key_id: User name of the admin key.
        key_secret: Password of the admin key.
        stack_token: Bearer token of the self-hosted server.
        vocabulary: Dialect on the wire.
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
        """The stack configuration with which a program uses this sandbox."""
        config = {
            "clouddb:baseUrl": self.url,
            "clouddb:stackUrl": self.stack_url,
            "clouddb:organizationId": self.organization_id,
            "clouddb:keyId": self.key_id,
            "clouddb:keySecret": self.key_secret,
            "clouddb:stackToken": self.stack_token,
            "clouddb:vocabulary": self.vocabulary,
            "clouddb:organizationTier": self._settings["organization_tier"],
            # Without a rate limit, short poll intervals make programs faster.
            "clouddb:pollIntervalSeconds": "2" if self._settings["rate_limit"] else "0.05",
            "clouddb:pacing": "true" if self._settings["rate_limit"] else "false",
        }
        return config if self._settings["paid"] else {**config, "clouddb:paid": "false"}

    @property
    def secret_keys(self) -> frozenset[str]:
        """The keys of `config` with secret values."""
        from pulumi_clouddb.schema.config import CREDENTIALS

        return CREDENTIALS

    def management(self, key_id: str | None = None, key_secret: str | None = None) -> httpx.Client:
        """Return an HTTP client with the base URL of the organization, by default with the admin key."""
        auth = (key_id or self.key_id, key_secret or self.key_secret)
        return _client(f"{self.url}/v1/organizations/{self.organization_id}", auth=auth)

    def self_hosted(self, token: str | None = None) -> httpx.Client:
        """Return an HTTP client with the base URL of the self-hosted server's `/api/v2`."""
        headers = {"Authorization": f"Bearer {token or self.stack_token}"}
        return _client(f"{self.stack_url}/api/v2", headers=headers)

    def state(self) -> dict[str, Any]:
        """Return object counts, settings, latency, release, credentials and the sandbox's time."""
        state: dict[str, Any] = self._call("GET", "/state")
        return state

    def fault(
        self,
        operation: str,
        kind: FaultKind | str,
        times: int | None = None,
        seconds: float | None = None,
        **details: Any,
    ) -> None:
        """Add a fault.

        Args:
            operation: Name of an operation, or `*`.
            kind: The kind of fault.
            times: Number of occurrences; by default one, or no limit if `seconds` is given.
            seconds: Duration of the fault.
            details: `after` and `match`, which select the request, and the details of the kind; see `Fault`.
        """
        limits = {name: value for name, value in (("times", times), ("seconds", seconds)) if value is not None}
        body = {"operation": operation, "kind": kind, **limits, **details}
        self._call("POST", "/faults", body)

    def faults(self) -> list[dict[str, Any]]:
        """Return the pending faults."""
        faults: list[dict[str, Any]] = self._call("GET", "/faults")
        return faults

    def clear_faults(self) -> None:
        """Remove all faults."""
        self._call("DELETE", "/faults")

    @property
    def requests(self) -> list[LoggedRequest]:
        """All requests since the start or the last `forget_requests`, without those to control routes."""
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
            operation: Only requests to this operation.
            method: Only requests with this HTTP method.
            since: Number of the first request; see `LoggedRequest.number`.
            limit: Maximum number of requests.
            status: Only requests with this status: 404, `4xx`, or `none` for reset connections.
            path: Only requests whose path contains this text.
            match: Only requests whose JSON body has these fields and values.
        """
        filters: dict[str, Any] = {"operation": operation, "method": method, "since": since, "limit": limit}
        filters |= {"status": status, "path": path, "match": match and json.dumps(match)}
        query = httpx.QueryParams({name: value for name, value in filters.items() if value is not None})
        return [LoggedRequest(**entry) for entry in self._call("GET", f"/log?{query}")]

    def forget_requests(self) -> None:
        """Empty the request log."""
        self._call("DELETE", "/log")

    def count(self, operation: str | None = None, method: str | None = None, **which: Any) -> int:
        """Return the number of requests in the log; the arguments are those of `logged`."""
        return len(self.logged(operation, method, **which))

    @property
    def services(self) -> Documents:
        """All services by id, in the neutral dialect and with their state."""
        return self.objects("services")

    @property
    def pipes(self) -> Documents:
        """All pipes by id."""
        return self.objects("pipes")

    @property
    def keys(self) -> Documents:
        """All keys by id, including the admin key."""
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
        """Return all objects of a kind by id, oldest first."""
        return {document["id"]: document for document in self._call("GET", f"/{kind}")}

    def add(self, kind: str, /, **fields: Any) -> dict[str, Any]:
        """Add an object as a colleague would in the web console.

        The fields are not validated, and all have defaults. `serviceId` is the service that the object belongs to.
        """
        added: dict[str, Any] = self._call("POST", f"/{kind}", fields)
        return added

    def change(self, kind: str, id_: str, /, **fields: Any) -> dict[str, Any]:
        """Change fields of an object as a colleague would in the web console."""
        changed: dict[str, Any] = self._call("PATCH", f"/{kind}/{id_}", fields)
        return changed

    def remove(self, kind: str, id_: str) -> None:
        """Remove an object with its dependent objects, as a colleague would in the web console."""
        self._call("DELETE", f"/{kind}/{id_}")

    def add_pipe(self, service_id: str, kind: str = "kafka", name: str | None = None, **fields: Any) -> dict[str, Any]:
        """Add a pipe; the kind is kafka, objectStorage, kinesis or postgres, or one that only the dialect has."""
        return self.add("pipes", serviceId=service_id, kind=kind, **({"name": name} if name else {}), **fields)

    def add_key(self, **fields: Any) -> dict[str, Any]:
        """Add an enabled key and return `key`, `keyId` and `keySecret`."""
        return self.add("keys", **fields)

    def add_backup(self, service_id: str) -> str:
        """Add a backup of a service and return its id, for `backupId`."""
        return str(self.add("backups", serviceId=service_id)["id"])

    def password_works(self, service_id: str, password: str) -> bool:
        """Return whether the password of the service is this one."""
        return bool(self._call("POST", f"/services/{service_id}/password", {"password": password})["works"])

    def set_latency(self, **seconds: float) -> Latency:
        """Change fields of the latency, and return the whole latency."""
        return Latency(**self._call("POST", "/latency", seconds))

    def set_release(self, release: Release | str) -> None:
        """Upgrade or downgrade the server; it keeps all objects.

        Raises:
            ValueError: There is no such release.
        """
        self._call("POST", "/release", {"release": release})

    def advance(self, seconds: float) -> None:
        """Advance the sandbox's clock."""
        self._call("POST", "/clock", {"advance": seconds})

    def reset(self) -> None:
        """Restore the initial objects and remove all faults and requests; credentials and clock are kept."""
        self._call("POST", "/reset")

    def seed(self, objects: Mapping[str, list[dict[str, Any]]]) -> dict[str, int]:
        """Add lists of objects by kind, as `add` does, and return the number of each kind. If one fails, none is added.

        Later objects can refer to one that has a name, `"as": "orders"`: `"${orders}"` is its id, and
        `"${board.tiles.0.id}"` a value within it.
        """
        counts: dict[str, int] = self._call("POST", "/seed", objects)
        return counts

    def snapshots(self) -> list[str]:
        """Return the names of the snapshots, oldest first."""
        names: list[str] = self._call("GET", "/snapshots")
        return names

    def save_snapshot(self, name: str) -> None:
        """Save all objects under a name, until the sandbox stops."""
        self._call("PUT", f"/snapshots/{quote(name, safe='')}")

    def restore_snapshot(self, name: str) -> None:
        """Replace all objects with those of a snapshot; faults and the request log are kept."""
        self._call("POST", f"/snapshots/{quote(name, safe='')}")

    def close(self) -> None:
        """Close the connections to the sandbox, which continues to run."""
        self._http.close()

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        response = self._http.request(method, path, json=body)
        if response.is_error:
            message = response.json()["error"]
            raise KeyError(message) if response.status_code == 404 else ValueError(message)
        return response.json()


# A sandbox uses plain http. By default httpx loads the certificate authorities, which takes longer than many requests;
# this context has none and refuses every https server.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _client(base_url: str, **options: Any) -> httpx.Client:
    # The server closes connections that are idle for 5 s, and a request at that moment would fail. On a busy machine no
    # shorter timeout of the client is reliable, so connections are not reused.
    limits = httpx.Limits(max_keepalive_connections=0)
    return httpx.Client(base_url=base_url, trust_env=False, verify=_NO_TLS, limits=limits, **options)
