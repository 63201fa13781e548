"""What the objects of lives refer to, such as a service or a dashboard; the first life that needs one makes it."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pulumi_clouddb.client.operation import Forms
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.schema.organization import BASIC
from pulumi_clouddb.schema.vocabulary import VocabularyName
from real_server.request import Request, Values, filled
from real_server.world import WORLD
from support.sessions import ProviderProcess

from .account import Account, Kind, result_of
from .guard import Run
from .needs import Needs

WHO = "world"
SMALLEST_GB = 8
"""The memory of the smallest replica."""

VIEW: Values = {"allowDeny": "ALLOW", "permissions": ["control-plane:service:view"], "resources": ["instance/*"]}
CODE = "for line in open(0): print(line)"
FUNCTION: Values = {
    "runtime": "python3.11",
    "type": "executable",
    "arguments": [{"name": "x", "type": "UInt8"}],
    "returnType": "UInt8",
}
"""A function, without its name and its code."""

TABLE: Values = {
    "database": "default",
    "managedTable": True,
    "tableDefinition": {"engine": {"type": "MergeTree"}},
    "columns": [{"name": "id", "type": "String"}],
}
"""Where pipes write, without the name of the table."""


PIPES = ("kafka", "object_storage", "postgres")
GIVEN = ("backup_bucket", "private_endpoint", "reverse_private_endpoint", "byoc", "postgres_service")
"""The needs that are inputs of objects."""


class UnavailableError(Exception):
    """The account does not have what a life needs."""


def identifier(run: Run, text: str) -> str:
    """Return a name with the token of the run that is an identifier."""
    return f"{text}_{run.token}"


def replicas_of(account: Account, needs: Needs) -> int:
    """Return the replicas of a service: the fewest that the tier of the organization allows, unless needs say more."""
    return needs.place.replicas or (1 if account.config.organization_tier == BASIC else 2)


class World:
    """The objects that lives refer to.

    Args:
        account: Where they are made, through the proxy.
        needs: What the account gives.

    Attributes:
        kept: The objects by name, for `filled`.
    """

    def __init__(self, account: Account, needs: Needs) -> None:
        self._account, self._needs, self._run = account, needs, account.run
        replicas = replicas_of(account, needs)
        self.kept: dict[str, Any] = {
            "place": {**needs.place.model_dump(), "replicas": replicas, "more": replicas + 1},
            "invite": (needs.invite or "").replace("@", f"+{account.run.token}@").lower(),
            "member": needs.member or "",
            "run": {"token": account.run.token, "tag": account.run.tag},
            **{name: {"destination": self._destination(name), **(getattr(needs, name) or {})} for name in PIPES},
            **{name: getattr(needs, name) or {} for name in GIVEN},
        }
        self._failed: dict[str, str] = {}
        self._requests = {each.name: each for each in WORLD}

    def make(self, names: Iterable[str]) -> None:
        """Make the objects with these names that do not exist yet.

        What could not be made once is not tried again: a service that never runs is waited for once, not in each life.

        Raises:
            UnavailableError: The account cannot have one of them, or an earlier life could not make it.
        """
        for name in names:
            if name in self._failed:
                raise UnavailableError(self._failed[name])
            if name not in self.kept:
                try:
                    self.kept[name] = self._maker(name)()
                except Exception as error:
                    self._failed[name] = f"{name} could not be made: {error}"
                    raise

    def _maker(self, name: str) -> Callable[[], Any]:
        made: Callable[[], Any] | None = getattr(self, f"_make_{name}", None)
        if made is not None and (name not in self._requests or self._account.kind is Kind.CLOUD):
            return made
        return lambda: self._on_stack(self._requests[name])

    # -- the observability server ------------------------------------------------------------------------------------

    def _on_stack(self, request: Request) -> Any:
        """Create an object on the self-hosted server, or on that of the service."""
        if self._account.dialect is not VocabularyName.CLICKHOUSE:
            return self._existing(request)
        self.make(names_in(request.body))
        collections = [each.collection for each in RESOURCES.values()]
        create = next(
            each.CREATE
            for each in collections
            if hasattr(each, "CREATE") and each.CREATE.self_hosted.path.endswith(f"/api/v2/{request.path}")
        )
        body = filled(request.body, self.kept)
        return self._posted(self._stack_path(create), {**body, "name": self._run.name(body["name"])})

    def _existing(self, request: Request) -> Any:
        """Return an object that the server has already: the interface cannot create sources and webhooks.

        Raises:
            UnavailableError: There is none.
        """
        if request.path == "dashboards":
            self.make(["logs"])
            series = {"type": "time", "sourceId": self.kept["logs"]["id"], "aggFn": "count", "where": "", "groupBy": []}
            tiles = [{"name": each, "x": 0, "y": 0, "w": 4, "h": 3, "series": [series]} for each in ("one", "two")]
            forms = RESOURCES["Dashboard"].collection.CREATE
            return self._posted(self._stack_path(forms), {"name": self._run.name("Watched"), "tiles": tiles})
        found = self._sources() if request.path == "sources" else []
        if not found:
            raise UnavailableError(f"the server has no {request.path}, and no operation creates them")
        return found[0]

    def _stack_path(self, forms: Forms) -> str:
        """Return the path of an operation on the observability server of the account."""
        is_cloud = self._account.kind is Kind.CLOUD
        if is_cloud:
            self.make(["service"])
        operation = forms.managed if is_cloud else forms.self_hosted
        return self._account.path(operation, serviceId=self.kept.get("service", {}).get("id", ""))

    def _sources(self) -> list[Values]:
        path = self._stack_path(RESOURCES["Source"].collection.LIST)
        found: list[Values] = result_of(self._account.raw("GET", path, who=WHO))
        return found

    def _make_connection(self) -> Any:
        """Return the connection of the service's observability server, which its sources name."""
        found = next((each["connection"] for each in self._sources() if each.get("connection")), None)
        if found is None:
            raise UnavailableError("the observability server of the service has no source yet: open it in the console")
        return {"id": found}

    # -- the organization --------------------------------------------------------------------------------------------

    def _make_organization(self) -> Any:
        operation = RESOURCES["OrganizationSettings"].collection.GET.managed
        return result_of(self._account.raw("GET", self._account.path(operation), who=WHO))

    def _make_service(self) -> Any:
        """Create the service of which all other objects are, and wait until it runs."""
        place = self.kept["place"]
        inputs = {
            "name": self._run.name("Shared"),
            "provider": place["provider"],
            "region": place["region"],
            "numReplicas": place["replicas"],
            "minReplicaMemoryGb": SMALLEST_GB,
            "maxReplicaMemoryGb": SMALLEST_GB,
        }
        if self._account.dialect is VocabularyName.CLICKHOUSE:
            inputs["tags"] = [self._run.tag]
        return self._created("Service", inputs)

    def _make_key(self) -> Any:
        path = self._account.path(RESOURCES["ApiKey"].collection.CREATE.managed)
        return self._posted(path, {"name": self._run.name("found"), "roles": ["developer"]})["key"]

    def _make_role(self) -> Any:
        return self._created("Role", {"name": self._run.name("Viewer"), "policies": [VIEW]})

    def _make_other_role(self) -> Any:
        return self._created("Role", {"name": self._run.name("Other viewer"), "policies": [VIEW]})

    def _make_function(self) -> Any:
        """Create a function with two versions."""
        name = identifier(self._run, "thrice")
        inputs = {**FUNCTION, "name": name, "files": {"main.py": CODE}}
        with self._provider() as provider:
            id_, state = provider.create("UserDefinedFunction", inputs)
            provider.update("UserDefinedFunction", id_, state, {**inputs, "returnType": "UInt16"})
        return {"id": id_, "name": name}

    def _make_stream(self) -> Any:
        return self._pipe("kafka")

    def _make_files(self) -> Any:
        return self._pipe("object_storage")

    def _make_database(self) -> Any:
        return {**self._pipe("postgres"), "serviceId": self.kept["service"]["id"]}

    def _pipe(self, need: str) -> Any:
        self.make(["service"])
        given = filled(self.kept[need], self.kept)
        own = {"serviceId": self.kept["service"]["id"], "name": self._run.name(need.replace("_", " "))}
        return self._created("Pipe", {**given, **own})

    def _destination(self, need: str) -> Values:
        """Return the usual destination of a pipe; a database's has no table of its own."""
        return {"database": "default"} if need == "postgres" else {**TABLE, "table": identifier(self._run, need)}

    # -- parts -------------------------------------------------------------------------------------------------------

    def _created(self, resource: str, inputs: Values) -> Any:
        """Create an object with the provider's core, which waits until it is ready.

        Raises:
            UnavailableError: Servers of this dialect have no such objects.
            ValueError: The inputs, which may be those of the file of needs, are not valid.
        """
        only = RESOURCES[resource].type.only
        if only not in (None, self._account.dialect):
            raise UnavailableError(f"servers of this dialect have no {resource}")
        with self._provider() as provider:
            if failures := RESOURCES[resource].check(provider, inputs).failures:
                raise ValueError("; ".join(f"{each.path}: {each.reason}" for each in failures))
            id_, _ = provider.create(resource, inputs)
        return {"id": id_.rpartition("/")[2], "name": inputs["name"]}

    def _provider(self) -> Core:
        return Core(self._account)

    def _posted(self, path: str, body: Values) -> Any:
        return result_of(self._account.raw("POST", path, body, who=WHO))


class Core:
    """A provider process of the core, with a folder of its own; use it as a context manager."""

    def __init__(self, account: Account) -> None:
        self._account, self._folder = account, tempfile.TemporaryDirectory()

    def __enter__(self) -> ProviderProcess:
        """Return the process."""
        return ProviderProcess(self._account.provider_config, Path(self._folder.name))

    def __exit__(self, *_: object) -> None:
        """Remove its folder."""
        self._folder.cleanup()


def names_in(value: Any) -> set[str]:
    """Return the names of the world that inputs or a body refer to."""
    return set(re.findall(r"<(\w+)[.>]", str(value)))
