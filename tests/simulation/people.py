"""The colleague in the console, who makes and changes objects at the worst moment."""

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
"""A function that somebody has made in the console."""
VOLATILE = ("usedAt", "updatedAt", "state", "status", "privateEndpointIds")
"""Fields that change without anybody's doing, or by what is registered with a service."""


@dataclass
class Belonging:
    """An object of a person, as it has to stay."""

    kind: str
    record: Record
    works: Callable[[], bool] = lambda: True


@dataclass
class Colleague:
    """A person with the console.

    Attributes:
        belongings: What must stay as it is, by id.
    """

    simulation: Simulation
    server: Server
    belongings: dict[str, Belonging] = field(default_factory=dict)

    def prepare(self, scene: Scene, parts: set[str]) -> None:
        """Make what programs of these parts refer to."""
        if parts & OF_A_SERVICE:
            body = {"name": "existing", "provider": "aws", "region": "us-east-1"}
            scene.service_id = self.make_service(body)
        if parts & {*PLATFORM}:
            self.simulation.advance(60.0)  # a service makes no pipe before it runs
        if "pipe" in parts:
            scene.pipe_id = self.server.sandbox.state.store.items("pipes", scene.service_id)[0][0]
            self.server.may_be_overridden("pipes", scene.pipe_id)
        if "adopted key" in parts:
            scene.key_id = self.make_key({"name": "legacy", "roles": ["admin"]})
            self.server.may_be_overridden("keys", scene.key_id)
            del self.belongings[scene.key_id]
        if "member" in parts:
            who = {"name": "Ada", "email": "ada@example.com", "assignedRoleIds": [DEVELOPER]}
            scene.user_id = members.SERVED.add(self.server.sandbox.state, "", who)["id"]
            self.server.may_be_overridden("members", scene.user_id)
        if "scaling of databases" in parts:
            pipes.SERVED.add(self.server.sandbox.state, scene.service_id, {"kind": "postgres", "name": "orders"})
            self.server.may_be_overridden("pipe_cdc_scalings", scene.service_id)
        if "organization" in parts:
            scene.organization_id = str(self.server.sandbox.state.identity.organizationId)
            self.server.may_be_overridden("organizations", scene.organization_id)

    def act(self, scene: Scene, parts: set[str]) -> None:
        """Do something that a program with these parts may stumble over.

        Where a create carries no mark, a colleague's object differs from the program's in a property, such as the
        credentials of a pipe. Nobody can tell an equal one, made in the same seconds. Services and keys carry a mark in
        the clickhouse dialect.
        """
        part = self.simulation.random.choice(sorted(parts))
        same = self.server.dialect is VocabularyName.CLICKHOUSE
        self.simulation.tell(f"a colleague touches: {part}")
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
            self.server.person("PATCH", f"/keys/{scene.key_id}", {"roles": [self._role()]})
        elif part == "member":
            roles = [DEVELOPER, ANALYST][: self.simulation.random.choice((1, 2))]
            self.server.person("PATCH", f"/members/{scene.user_id}", {"assignedRoleIds": roles})
        elif part == "scaling of databases":
            cores = self.simulation.random.choice((1, 3, 6))
            size = {"replicaCpuMillicores": 1000 * cores, "replicaMemoryGb": 4 * cores}
            self.server.person("PATCH", f"/services/{scene.service_id}/clickpipesCdcScaling", size)
            # At once, as nobody can find what no server reports yet.
            self.server.sandbox.state.store.delete(pipe_cdc_scalings.BEFORE, scene.service_id)
        elif part == "organization":
            name = self.simulation.random.choice(("Mine", "Theirs"))
            self.server.person("PATCH", "", {"name": name})
        elif part == "postgres":
            self.make_postgres()
        elif part == "function":
            name = f"mine_{len(self.belongings)}"
            user_defined_functions.SERVED.add(self.server.sandbox.state, "", {**BY_HAND, "name": name})
            self.server.made_by_person("user_defined_functions", name)
            self._own("user_defined_functions", name)
        elif part in PLATFORM:
            self.make_another(part, scene.service_id)
        else:
            service_id = scene.service_id if part == "managed dashboards" else None
            self.make_dashboard(service_id, tags=["mine"])

    def make_service(self, body: Record) -> str:
        """Make a service."""
        result = self.server.person("POST", "/services", body)
        id_, password = result["service"]["id"], result["password"]
        self._own("services", id_, lambda: services.password_works(self.server.sandbox.state, id_, password))
        return str(id_)

    def make_postgres(self) -> None:
        """Make a Postgres service like those of programs."""
        body: Record = {"name": "orders", "provider": "aws", "region": "us-east-1", "size": "m6gd.large"}
        body |= {"tags": [{"key": "edition", "value": "0"}], "pgConfig": {"max_connections": "100"}}
        made = self.server.person("POST", "/postgres", body)
        id_, password = made["id"], made["password"]
        self._own("postgres_services", id_, lambda: services.password_works(self.server.sandbox.state, id_, password))

    def make_key(self, body: Record) -> str:
        """Make a key."""
        result = self.server.person("POST", "/keys", body)
        user, secret = result["keyId"], result["keySecret"]
        self._own("keys", result["key"]["id"], lambda: self.server.authenticates(user, secret))
        return str(result["key"]["id"])

    def make_dashboard(self, service_id: str | None, tags: list[str]) -> str:
        """Make a dashboard with a nameless alert."""
        path = stack_path(service_id, "dashboards", self.server.dialect)
        made = self.server.person("POST", path, {"name": "Orders", "tags": tags, "tiles": tiles(0)})
        rule = {**RULE, "dashboardId": made["id"], "tileId": made["tiles"][0]["id"], "source": "tile"}
        alert = self.server.person("POST", stack_path(service_id, "alerts", self.server.dialect), rule)
        self._own("dashboards", made["id"])
        self._own("alerts", alert["id"])
        return str(made["id"])

    def scale_pipe(self, scene: Scene, replicas: int) -> None:
        """Change the scaling of a pipe."""
        segment = "clickpipes" if self.server.dialect is VocabularyName.CLICKHOUSE else "pipes"
        path = f"/services/{scene.service_id}/{segment}/{scene.pipe_id}/scaling"
        self.server.person("PATCH", path, {"replicas": replicas})

    def make_another(self, part: str, service_id: str) -> None:
        """Make an object like those of a part, where a name may be there twice of the same name."""
        columns = [{"name": "id", "type": "String"}]
        stream: Record = {
            "name": "clicks",
            "source": {"kafka": {**KAFKA, "topics": "other", "credentials": {"username": "u", "password": "p"}}},
            "destination": {"database": "default", "table": "other", "managedTable": True, "columns": columns},
        }
        if len(self.belongings) % 2:  # as a program has it, with other credentials, which no response shows
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
                {"name": f"Writer {len(self.belongings)}", "permissions": [{"action": "read", "subject": "alert"}]},
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
            "private endpoint": (
                "private_endpoints",
                f"/services/{service_id}/privateEndpoint",
                {"id": f"vpce-of-a-person-{len(self.belongings)}", "description": "Office"},
            ),
            "infrastructure": (
                "byoc_infrastructures",
                "/byocInfrastructure",
                {"regionId": "us-west-2", "accountId": "2", "displayName": f"Mine {len(self.belongings)}"},
            ),
            "stack invitation": (
                "stack_invitations",
                "/api/v2/team/invitation",
                {"email": f"tim-{len(self.belongings)}@example.com"},
            ),
            "stream": pipe,
            "database": pipe,
        }
        kind, path, body = others[part]
        made = self.server.person("POST", path, body)
        self._own(kind, made.get("invitationId") or made["id"])

    def inherit(self, kind: str, id_: str) -> None:
        """Take over an object that a stack has forgotten on purpose: it is nobody's to touch from now on."""
        self._own(kind, id_)

    def violations(self) -> list[str]:
        """Return what happened to the colleague's objects."""
        found = []
        for id_, belonging in self.belongings.items():
            now = self.server.record(belonging.kind, id_)
            if now is None and belonging.kind == "alerts" and self._went_with_its_dashboard(belonging.record):
                continue
            if now is None:
                found.append(f"foreign: {belonging.kind} {id_} of a person is gone")
            elif _lasting(now) != belonging.record:
                found.append(f"foreign: {belonging.kind} {id_} of a person was changed")
            elif not belonging.works():
                found.append(f"foreign: the secret of {belonging.kind} {id_} of a person no longer works")
        return found

    def _went_with_its_dashboard(self, alert: Record) -> bool:
        return self.server.record("dashboards", alert["dashboard"]) is None

    def _own(self, kind: str, id_: str, works: Callable[[], bool] = lambda: True) -> None:
        self.belongings[id_] = Belonging(kind, _lasting(self.server.record(kind, id_) or {}), works)

    def _role(self) -> str:
        return self.simulation.random.choice(("admin", "developer"))


def _lasting(record: Record) -> Record:
    return {name: value for name, value in record.items() if name not in VOLATILE}
