"""Another user, who creates and changes objects in the console during runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from clouddb_tools.sandbox import members, pipe_cdc_scalings, pipes, services, user_defined_functions
from pulumi_clouddb.schema.vocabulary import VocabularyName

from .programs import ANALYST, DEVELOPER, KAFKA, OF_A_SERVICE, ORIGINAL_REPLICAS, PLATFORM, RULE, Scene, tiles
from .scheduler import Simulation
from .server import Server, stack_path

Record = dict[str, Any]
BY_HAND: Record = {"runtime": "native", "type": "executable", "arguments": [], "returnType": "UInt8"}
"""A function that is created in the console."""
VOLATILE = ("usedAt", "updatedAt", "state", "status", "privateEndpointIds")
"""Fields that the server changes by itself, or when an endpoint is registered with a service."""


@dataclass
class OwnedObject:
    """An object of the user, with the record that must not change."""

    kind: str
    record: Record
    works: Callable[[], bool] = lambda: True


@dataclass
class ConsoleUser:
    """A user of the console.

    Attributes:
        owned: The user's objects by id.
    """

    simulation: Simulation
    server: Server
    owned: dict[str, OwnedObject] = field(default_factory=dict)

    def prepare(self, scene: Scene, parts: set[str]) -> None:
        """Create the objects that programs of these parts refer to."""
        if parts & OF_A_SERVICE:
            body = {"name": "existing", "provider": "aws", "region": "us-east-1"}
            scene.service_id = self.make_service(body)
        if parts & {*PLATFORM}:
            self.simulation.advance(60.0)  # a service must run before it can have pipes
        if "pipe" in parts:
            scene.pipe_id = self.server.sandbox.state.store.items("pipes", scene.service_id)[0][0]
            self.server.may_be_overridden("pipes", scene.pipe_id)
        if "adopted key" in parts:
            scene.key_id = self.make_key({"name": "legacy", "roles": ["admin"]})
            self.server.may_be_overridden("keys", scene.key_id)
            del self.owned[scene.key_id]
        if "member" in parts:
            member = {"name": "Ada", "email": "ada@example.com", "assignedRoleIds": [DEVELOPER]}
            scene.user_id = members.SERVED.add(self.server.sandbox.state, "", member)["id"]
            self.server.may_be_overridden("members", scene.user_id)
        if "scaling of databases" in parts:
            pipes.SERVED.add(self.server.sandbox.state, scene.service_id, {"kind": "postgres", "name": "orders"})
            self.server.may_be_overridden("pipe_cdc_scalings", scene.service_id)
        if "organization" in parts:
            scene.organization_id = str(self.server.sandbox.state.identity.organizationId)
            self.server.may_be_overridden("organizations", scene.organization_id)

    def act(self, scene: Scene, parts: set[str]) -> None:
        """Create or change an object that can conflict with a program of these parts.

        If creates have no mark, the user's object differs from the program's in a property, such as the credentials of
        a pipe: an equal one that is created in the same seconds cannot be distinguished. Services and keys have a mark
        in the clickhouse dialect.
        """
        part = self.simulation.random.choice(sorted(parts))
        same = self.server.dialect is VocabularyName.CLICKHOUSE
        self.simulation.log(f"another user changes: {part}")
        if part == "service":
            network = {"source": "10.0.0.0/8" if same else "192.168.0.0/16", "description": "office"}
            body = {"name": "orders", "provider": "aws", "region": "us-east-1", "ipAccessList": [network]}
            self.make_service(body)
        elif part == "key":
            self.make_key({"name": "ci", "roles": ["developer"] if same else ["developer", "query_endpoints"]})
        elif part == "pipe":
            replicas = self.simulation.random.choice(ORIGINAL_REPLICAS)
            self.scale_pipe(scene, replicas)
        elif part == "adopted key":
            self.server.console_request("PATCH", f"/keys/{scene.key_id}", {"roles": [self._role()]})
        elif part == "member":
            roles = [DEVELOPER, ANALYST][: self.simulation.random.choice((1, 2))]
            self.server.console_request("PATCH", f"/members/{scene.user_id}", {"assignedRoleIds": roles})
        elif part == "scaling of databases":
            cores = self.simulation.random.choice((1, 3, 6))
            size = {"replicaCpuMillicores": 1000 * cores, "replicaMemoryGb": 4 * cores}
            self.server.console_request("PATCH", f"/services/{scene.service_id}/clickpipesCdcScaling", size)
            # At once: a provider cannot find values that the server does not report yet.
            self.server.sandbox.state.store.delete(pipe_cdc_scalings.BEFORE, scene.service_id)
        elif part == "organization":
            name = self.simulation.random.choice(("Mine", "Theirs"))
            self.server.console_request("PATCH", "", {"name": name})
        elif part == "postgres":
            self.make_postgres()
        elif part == "function":
            name = f"mine_{len(self.owned)}"
            user_defined_functions.SERVED.add(self.server.sandbox.state, "", {**BY_HAND, "name": name})
            self.server.created_by_user("user_defined_functions", name)
            self._remember("user_defined_functions", name)
        elif part in PLATFORM:
            self.make_another(part, scene.service_id)
        else:
            service_id = scene.service_id if part == "managed dashboards" else None
            self.make_dashboard(service_id, tags=["mine"])

    def make_service(self, body: Record) -> str:
        """Create a service."""
        result = self.server.console_request("POST", "/services", body)
        id_, password = result["service"]["id"], result["password"]
        self._remember("services", id_, lambda: services.password_works(self.server.sandbox.state, id_, password))
        return str(id_)

    def make_postgres(self) -> None:
        """Create a Postgres service that is equal to those of programs."""
        body: Record = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
        body |= {"tags": [{"key": "edition", "value": "0"}], "pgConfig": {"max_connections": "100"}}
        made = self.server.console_request("POST", "/postgres", body)
        id_, password = made["id"], made["password"]
        self._remember(
            "postgres_services", id_, lambda: services.password_works(self.server.sandbox.state, id_, password)
        )

    def make_key(self, body: Record) -> str:
        """Create a key."""
        result = self.server.console_request("POST", "/keys", body)
        user, secret = result["keyId"], result["keySecret"]
        self._remember("keys", result["key"]["id"], lambda: self.server.authenticates(user, secret))
        return str(result["key"]["id"])

    def make_dashboard(self, service_id: str | None, tags: list[str]) -> str:
        """Create a dashboard with an alert without a name."""
        path = stack_path(service_id, "dashboards", self.server.dialect)
        made = self.server.console_request("POST", path, {"name": "Orders", "tags": tags, "tiles": tiles(0)})
        rule = {**RULE, "dashboardId": made["id"], "tileId": made["tiles"][0]["id"], "source": "tile"}
        alert = self.server.console_request("POST", stack_path(service_id, "alerts", self.server.dialect), rule)
        self._remember("dashboards", made["id"])
        self._remember("alerts", alert["id"])
        return str(made["id"])

    def scale_pipe(self, scene: Scene, replicas: int) -> None:
        """Change the scaling of a pipe."""
        segment = "clickpipes" if self.server.dialect is VocabularyName.CLICKHOUSE else "pipes"
        path = f"/services/{scene.service_id}/{segment}/{scene.pipe_id}/scaling"
        self.server.console_request("PATCH", path, {"replicas": replicas})

    def make_another(self, part: str, service_id: str) -> None:
        """Create an object like those of a part, with the same name unless names are unique."""
        columns = [{"name": "id", "type": "String"}]
        stream: Record = {
            "name": "clicks",
            "source": {"kafka": {**KAFKA, "topics": "other", "credentials": {"username": "u", "password": "p"}}},
            "destination": {"database": "default", "table": "other", "managedTable": True, "columns": columns},
        }
        if len(self.owned) % 2:  # equal to a program's, except for its credentials, which no response contains
            kafka = {**KAFKA, "credentials": {"username": "u", "password": "p"}}
            place = {"database": "default", "table": "clicks", "managedTable": True, "columns": columns}
            settings = {"streaming_max_insert_wait_ms": 1000}
            stream = {"name": "clicks", "source": {"kafka": kafka}, "destination": place, "settings": settings}
        deny = {"allowDeny": "DENY", "permissions": ["control-plane:service:delete"], "resources": ["instance/*"]}
        pipe = ("pipes", f"/services/{service_id}/clickpipes", stream)
        others: dict[str, tuple[str, str, Record]] = {
            "role": ("roles", "/roles", {"name": "Reader", "actors": [], "policies": [deny]}),
            "stack role": (
                "stack_roles",
                stack_path(service_id, "roles", self.server.dialect),
                {"name": f"Writer {len(self.owned)}", "permissions": [{"action": "read", "subject": "alert"}]},
            ),
            "invitation": ("invitations", "/invitations", {"email": "tim@example.com", "role": "developer"}),
            "endpoint": (
                "reverse_private_endpoints",
                f"/services/{service_id}/clickpipesReversePrivateEndpoints",
                {
                    "description": "Kafka",
                    "type": "MSK_MULTI_VPC",
                    "mskClusterArn": "arn:1",
                    "mskAuthentication": "SASL_IAM",
                },
            ),
            "SSH key": (
                "pipe_ssh_keys",
                f"/services/{service_id}/clickpipesSshKeyResources",
                {"name": f"Mine {len(self.owned)}", "host": "mine.example.com", "port": 22, "username": "tim"},
            ),
            "private endpoint": (
                "private_endpoints",
                f"/services/{service_id}/privateEndpoint",
                {"id": f"vpce-of-a-person-{len(self.owned)}", "description": "Office"},
            ),
            "infrastructure": (
                "byoc_infrastructures",
                "/byocInfrastructure",
                {"regionId": "us-west-2", "accountId": "2", "displayName": f"Mine {len(self.owned)}"},
            ),
            "stack invitation": (
                "stack_invitations",
                "/api/v2/team/invitation",
                {"email": f"tim-{len(self.owned)}@example.com"},
            ),
            "stream": pipe,
            "database": pipe,
        }
        kind, path, body = others[part]
        made = self.server.console_request("POST", path, body)
        self._remember(kind, made.get("invitationId") or made["id"])

    def take(self, kind: str, id_: str) -> None:
        """Take an object that a stack dropped from state on purpose; no stack may change it from now on."""
        self._remember(kind, id_)

    def violations(self) -> list[str]:
        """Return the changes of the user's objects."""
        found = []
        for id_, expected in self.owned.items():
            now = self.server.record(expected.kind, id_)
            if now is None and expected.kind == "alerts" and self._deleted_with_its_dashboard(expected.record):
                continue
            if now is None:
                found.append(f"foreign: {expected.kind} {id_} of another user is gone")
            elif _stable(now) != expected.record:
                found.append(f"foreign: {expected.kind} {id_} of another user was changed")
            elif not expected.works():
                found.append(f"foreign: the secret of {expected.kind} {id_} of another user no longer works")
        return found

    def _deleted_with_its_dashboard(self, alert: Record) -> bool:
        return self.server.record("dashboards", alert["dashboard"]) is None

    def _remember(self, kind: str, id_: str, works: Callable[[], bool] = lambda: True) -> None:
        self.owned[id_] = OwnedObject(kind, _stable(self.server.record(kind, id_) or {}), works)

    def _role(self) -> str:
        return self.simulation.random.choice(("admin", "developer"))


def _stable(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in VOLATILE}
