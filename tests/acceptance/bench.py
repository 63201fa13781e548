"""The requests of probes, and the objects that they make.

A probe makes what it changes, and the bench deletes it afterwards. What many probes need, such as a service, is made
once and deleted at the end. Every object has a name of the run.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx

from acceptance.account import Account, Kind
from acceptance.outcome import Outcome
from acceptance.proxy import REFUSED
from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.schema.config import SELF_HOSTED_PREFIX
from pulumi_clouddb.schema.vocabulary import CLICKHOUSE

Values = dict[str, Any]
Probe = Callable[["Bench"], Outcome]

ABSENT = "0123456789abcdef01234567"
"""An id of an observability server that no object has."""

ABSENT_UUID = "00000000-0000-4000-8000-000000000000"
"""An id of the cloud that no object has."""

AT_ONCE = 15
"""Requests at the same moment, so that a slow network does not stretch them over the window of a limit."""

ENDED = ("stopped", "failed", "terminating")
"""States of a service that can be deleted, or that is being deleted."""

SMALLEST: Values = {
    "provider": "aws",
    "region": "us-east-1",
    "minReplicaMemoryGb": 8,
    "maxReplicaMemoryGb": 8,
    "numReplicas": 2,
    "idleScaling": True,
    "idleTimeoutMinutes": 15,
    "ipAccessList": [],
}
"""The smallest service; `place` of the needs replaces some of it."""


UNEXPECTED = (LookupError, TypeError, ValueError, AttributeError, StopIteration)
"""What a probe raises if a response has another form than it expects."""


class RefusedError(Exception):
    """A request that servers accept, as the probe believes, was refused."""


class NotMadeError(Exception):
    """An object that the probe needs could not be made."""


@dataclass(frozen=True)
class Reply:
    """A response, with the request in words."""

    request: str
    response: httpx.Response

    @property
    def status(self) -> int:
        """The status."""
        return self.response.status_code

    @property
    def body(self) -> Any:
        """The JSON of the body; None if it is none."""
        try:
            return self.response.json()
        except ValueError:
            return None

    @property
    def reason(self) -> str | None:
        """The server's words about a refusal, from the field of its envelope in which the provider reads them."""
        body = self.body if isinstance(self.body, dict) else {}
        reason = body.get("message" if f" {SELF_HOSTED_PREFIX}/" in self.request else "error")
        return reason if isinstance(reason, str) else None

    @property
    def words(self) -> str:
        """The response in words, for messages."""
        return f"{self.request} returned {self.status} {self.reason or self.response.text[:120]!r}"

    @property
    def result(self) -> Any:
        """The result in the envelope.

        Raises:
            RefusedError: The request was refused.
        """
        self.check()
        body = self.body
        return body.get("result", body.get("data", body)) if isinstance(body, dict) else body

    @property
    def is_unknown(self) -> bool:
        """Whether the server does not have the operation."""
        return self.status in (404, 405) and self.reason is None

    def check(self) -> None:
        """Check that the request was not refused.

        Raises:
            RefusedError: It was.
        """
        if not self.response.is_success:
            raise RefusedError(self.words)

    def refused(self, status: int = 400) -> bool:
        """Return whether the request was refused with a status, in the API's own form."""
        return self.status == status and self.reason is not None


class Bench:
    """The requests and the objects of one run.

    Args:
        account: The account.
        needs: What only an account can give, such as an address to invite.
    """

    def __init__(self, account: Account, needs: Mapping[str, Any] | None = None) -> None:
        self.account, self.needs = account, dict(needs or {})
        self._numbers = itertools.count(1)
        self._made: list[str] = []
        self._kept: list[str] = []
        self._remembered: dict[str, Any] = {}

    # -- requests --------------------------------------------------------------------------------------------------

    @property
    def is_cloud(self) -> bool:
        """Whether it is the cloud."""
        return self.account.kind is Kind.CLOUD

    @property
    def is_vendor(self) -> bool:
        """Whether it is a server of the vendor's dialect."""
        return self.account.dialect is CLICKHOUSE

    def name(self, text: str = "Probe") -> str:
        """Return a name that no other object has."""
        return self.account.run.name(f"{text} {next(self._numbers)}")

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Send a request.

        Raises:
            NotMadeError: The guard of the run refused it.
        """
        reply = Reply(f"{method} {path}", self.account.raw(method, path, json=body, headers=headers))
        if reply.status == REFUSED:
            raise NotMadeError(str(reply.reason))
        return reply

    def send_as(self, method: str, path: str, body: Any = None, **credentials: str) -> Reply:
        """Send a request with other credentials; these are settings such as `key_secret`."""
        other = replace(self.account, config=self.account.config.model_copy(update=credentials))
        return Reply(f"{method} {path}", other.raw(method, path, body))

    def send_at_once(self, method: str, path: str, count: int) -> list[Reply]:
        """Send a request some times, without waiting for the rate limit, and return all responses."""
        hasty = replace(self.account, sleep=lambda _: None)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            sent = [pool.submit(hasty.raw, method, path) for _ in range(count)]
        return [Reply(f"{method} {path}", each.result()) for each in sent]

    def cloud(self, method: str, path: str, body: Any = None) -> Reply:
        """Send a request to the organization; the path has the words of the interface, such as `pipes`."""
        return self.send(method, self.of_organization(path), body)

    def of_organization(self, path: str) -> str:
        """Return a path of the organization in the words of the server."""
        return DIALECTS[self.account.dialect].path(f"/v1/organizations/{self.account.organization_id}{path}")

    def stack(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        """Send a request to the observability server, in the cloud to that of the shared service."""
        return self.send(method, self.stack_path + path, body, **headers)

    @property
    def stack_path(self) -> str:
        """The path of the observability server."""
        if not self.is_cloud:
            return "/api/v2"
        return self.of_organization(f"/services/{self.service['id']}/stack")

    def until(self, read: Callable[[], Any], done: Callable[[Any], object], minutes: float = 30.0) -> Any:
        """Return what `read` returns once it is `done`; see `Account.until`."""
        return self.account.until(read, done, minutes)

    # -- objects ---------------------------------------------------------------------------------------------------

    def make(self, path: str, body: Any, *, keep: bool = False) -> Values:
        """Create an object at a whole path, and return the result; it is deleted after the probe unless it is kept.

        Raises:
            NotMadeError: It could not be created.
        """
        reply = self.send("POST", path, body)
        if not reply.response.is_success or not isinstance(reply.result, dict):
            raise NotMadeError(reply.words)
        result: Values = reply.result
        record = next((result[part] for part in ("key", "service") if isinstance(result.get(part), dict)), result)
        self.will_delete(f"{path}/{record.get('id', record.get('invitationId'))}", keep=keep)
        return result

    def will_delete(self, path: str, *, keep: bool = False) -> None:
        """Delete an object after the probe, or at the end if it is kept."""
        (self._kept if keep else self._made).append(path)

    def make_cloud(self, path: str, body: Any, *, keep: bool = False) -> Values:
        """Create an object of the organization."""
        return self.make(self.of_organization(path), body, keep=keep)

    def make_on_stack(self, path: str, body: Any, *, keep: bool = False) -> Values:
        """Create an object of the observability server."""
        return self.make(self.stack_path + path, body, keep=keep)

    @contextmanager
    def probing(self) -> Iterator[None]:
        """Delete at the end what was made within the block, last first."""
        try:
            yield
        finally:
            self._delete(self._made)

    def close(self) -> None:
        """Delete what was kept."""
        self._delete(self._kept)

    def _delete(self, paths: list[str]) -> None:
        """Delete objects, last first; what cannot be deleted now is left to the end of the run."""
        while paths:
            path = paths.pop()
            with suppress(RefusedError, NotMadeError, httpx.HTTPError, *UNEXPECTED):
                if path.rsplit("/", 2)[-2] == "services":
                    self.stop(path)
                self.account.patiently("DELETE", path)

    def once(self, observe: Callable[[Bench], Any]) -> Any:
        """Return what a function observes; it is called once in a run, for several probes, even if it fails."""
        name = observe.__name__
        if name not in self._remembered:
            try:
                self._remembered[name] = observe(self)
            except (RefusedError, NotMadeError, httpx.HTTPError, *UNEXPECTED) as error:
                self._remembered[name] = error
        if isinstance(self._remembered[name], Exception):
            raise self._remembered[name]
        return self._remembered[name]

    def _shared(self, make: Callable[[Bench], Any]) -> Any:
        """Return an object that many probes need; it is made once.

        Raises:
            NotMadeError: It could not be made.
        """
        try:
            return self.once(make)
        except (RefusedError, httpx.HTTPError, *UNEXPECTED) as error:
            raise NotMadeError(f"{make.__name__.strip('_')}: {error}") from None

    def invited(self) -> str | None:
        """Return the address of the needs with the token of the run, and with a capital letter; None without one."""
        name, _, host = str(self.needs.get("invite") or "").partition("@")
        return f"{name.title()}+{self.account.run.token}@{host}" if host else None

    # -- services --------------------------------------------------------------------------------------------------

    def service_body(self, name: str) -> Values:
        """Return the body of the smallest service."""
        names = {"replicas": "numReplicas"}
        place = {names.get(name, name): value for name, value in (self.needs.get("place") or {}).items()}
        tags = {"tags": [self.account.run.tag]} if self.is_vendor else {}
        return {**SMALLEST, **place, "name": name, **tags}

    @property
    def service(self) -> Values:
        """The service that the probes share, once it runs."""
        found: Values = self._shared(Bench._service)
        return found

    def _service(self) -> Values:
        made = self.make_cloud("/services", self.service_body(self.name("Shared")), keep=True)
        return self.running(made["service"]["id"])

    def running(self, service_id: str) -> Values:
        """Return a service once it runs.

        Raises:
            NotMadeError: It does not run.
        """
        found: Values = self.until(
            lambda: self.cloud("GET", f"/services/{service_id}").result,
            lambda seen: seen["state"] in ("running", "failed"),
        )
        if found["state"] != "running":
            raise NotMadeError(f"the service is {found['state']}")
        return found

    def of_service(self, method: str, path: str, body: Any = None) -> Reply:
        """Send a request to an operation of the shared service."""
        return self.cloud(method, f"/services/{self.service['id']}{path}", body)

    def stop(self, path: str) -> Values | None:
        """Stop a service, and return it once it has stopped; None if it is gone."""
        if self.send("GET", path).status == httpx.codes.NOT_FOUND:
            return None
        self.send("PATCH", f"{path}/state", {"command": "stop"})
        found: Values = self.until(
            lambda: self.send("GET", path).result,
            lambda seen: seen.get("state") in ("stopped", "failed", "terminating"),
        )
        return found

    # -- objects of the observability server -----------------------------------------------------------------------

    @property
    def connection_id(self) -> str:
        """The connection of the shared source."""
        found: str = self._shared(Bench._connection_id)
        return found

    def _connection_id(self) -> str:
        if self.is_vendor and not self.is_cloud:
            body = {"name": self.name(), "host": "http://localhost:8123", "username": "default", "password": "secret"}
            return str(self.make_on_stack("/connections", body, keep=True)["id"])
        sources = self.stack("GET", "/sources").result
        if not sources:
            raise NotMadeError("the observability server has no source, and so no connection")
        return str(sources[0]["connection"])

    def source_body(self, **more: Any) -> Values:
        """Return the body of a source of log records."""
        return {
            "name": self.name("Logs"),
            "kind": "log",
            "connection": self.connection_id,
            "from": {"databaseName": "default", "tableName": "otel_logs"},
            "timestampValueExpression": "Timestamp",
            "defaultTableSelectExpression": "Timestamp, Body",
            **more,
        }

    @property
    def source_id(self) -> str:
        """The source that tiles and searches share."""
        found: str = self._shared(Bench._source_id)
        return found

    def _source_id(self) -> str:
        if self.is_vendor:
            return str(self.make_on_stack("/sources", self.source_body(), keep=True)["id"])
        sources = self.stack("GET", "/sources").result
        if not sources:
            raise NotMadeError("the observability server has no source")
        return str(sources[0]["id"])

    @property
    def webhook_id(self) -> str:
        """The webhook that alerts share; servers of the interface have no operation to make one."""
        found: str = self._shared(Bench._webhook_id)
        return found

    def _webhook_id(self) -> str:
        if not self.is_vendor:
            return ABSENT
        return str(self.make_on_stack("/webhooks", self.webhook_body(), keep=True)["id"])

    def webhook_body(self, **more: Any) -> Values:
        """Return the body of a webhook."""
        return {"name": self.name("Hook"), "service": "generic", "url": "https://events.example.com/probe", **more}

    def tile(self, kind: str = "line", *, source: str | None = None, **more: Any) -> Values:
        """Return a tile; `more` are properties of its config."""
        config: Values = {"displayType": kind, "sourceId": source or self.source_id, "select": [{"aggFn": "count"}]}
        if kind == "markdown":
            config = {"displayType": kind, "markdown": "Text"}
        tile = {"name": f"Tile {next(self._numbers)}", "x": 0, "y": 0, "w": 6, "h": 3}
        return {**tile, "config": {**config, **more}} if self.is_vendor else {**tile, "series": [self.series(source)]}

    def series(self, source: str | None = None) -> Values:
        """Return the series of a line, which is the form of a tile in the interface."""
        where = {"where": "", "whereLanguage": "lucene", "groupBy": []}
        return {"type": "time", "sourceId": source or self.source_id, "aggFn": "count", **where}

    def board(self, tiles: Sequence[Values] = (), **more: Any) -> Values:
        """Create a dashboard."""
        return self.make_on_stack("/dashboards", {"name": self.name("Board"), "tiles": [*tiles], **more})

    def replace(self, path: str, body: Values) -> Values:
        """Replace an object of the observability server, and return the result."""
        result: Values = self.stack("PUT", path, body).result
        return result

    def search(self, **more: Any) -> Values:
        """Create a saved search."""
        return self.make_on_stack("/saved-searches", {"name": self.name(), "sourceId": self.source_id, **more})

    def alert_body(self, board: Values, tile: int = 0, **more: Any) -> Values:
        """Return the body of an alert on a tile."""
        channels = {} if {"channel", "channels"} & {*more} else {"channel": self.channel(self.webhook_id)}
        return {
            "name": self.name("Alert"),
            "source": "tile",
            "dashboardId": board["id"],
            "tileId": board["tiles"][tile]["id"],
            "interval": "5m",
            "threshold": 1,
            "thresholdType": "above",
            **channels,
            **more,
        }

    def alert(self, board: Values, tile: int = 0, **more: Any) -> Values:
        """Create an alert on a tile."""
        return self.make_on_stack("/alerts", self.alert_body(board, tile, **more))

    @staticmethod
    def channel(webhook_id: str) -> Values:
        """Return a channel to a webhook."""
        return {"type": "webhook", "webhookId": webhook_id}
