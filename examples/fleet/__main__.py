"""A fleet of databases from a YAML file: teams add an entry to fleet.yaml, and nobody edits a program.

Run `pulumi up` in this folder. Every mistake in the file is reported with its place before anything is created. Taking
out an entry fails as long as its database is protected.
"""

from pathlib import Path
from typing import Any, Literal

import pulumi
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

import pulumi_clouddb as clouddb

FILE = Path(__file__).with_name("fleet.yaml")

SIZES = {"small": (8, 16, 2), "medium": (16, 64, 2), "large": (32, 120, 3)}
"""Minimum and maximum memory of a replica in GiB, and the number of replicas."""


class Entry(BaseModel):
    """The options of a team for its database."""

    model_config = ConfigDict(extra="forbid")

    team: str
    provider: clouddb.CloudProvider
    region: clouddb.Region
    size: Literal["small", "medium", "large"]
    networks: list[str] = Field(min_length=1)
    idle: bool = False
    protect: bool = True


class Fleet(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid")

    services: dict[str, Entry]


def read_fleet(file: Path) -> dict[str, Entry]:
    """Return the entries by name with their defaults; one error lists all mistakes."""
    content: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    defaults = content.pop("defaults", {})
    content["services"] = {name: {**defaults, **entry} for name, entry in content["services"].items()}
    try:
        return Fleet.model_validate(content).services
    except ValidationError as error:
        mistakes = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        raise pulumi.RunError("\n".join([f"{file.name} has mistakes:", *mistakes])) from None


class Database(pulumi.ComponentResource):
    """The resources of an entry: a service, and a key for its readers."""

    def __init__(self, name: str, entry: Entry) -> None:
        super().__init__("fleet:index:Database", name)
        ours = pulumi.ResourceOptions(parent=self)
        least, most, replicas = SIZES[entry.size]
        self.service = clouddb.Service(
            name,
            name=name,
            provider=entry.provider,
            region=entry.region,
            min_replica_memory_gb=least,
            max_replica_memory_gb=most,
            num_replicas=replicas,
            idle_scaling=entry.idle,
            ip_access_list=[{"source": each, "description": f"Network of {entry.team}"} for each in entry.networks],
            tags=[{"key": "team", "value": entry.team}],
            deletion_protection=entry.protect,
            opts=ours,
        )
        self.reader = clouddb.ApiKey(f"{name}-reader", name=f"Reader of {name}", roles=["query_endpoints"], opts=ours)
        self.register_outputs({})


databases = {name: Database(name, entry) for name, entry in read_fleet(FILE).items()}

pulumi.export("endpoints", {name: each.service.endpoints for name, each in databases.items()})
pulumi.export("passwords", {name: each.service.password for name, each in databases.items()})
pulumi.export(
    "readers",
    {
        name: {"keyId": each.reader.access_key_id, "keySecret": each.reader.key_secret}
        for name, each in databases.items()
    },
)
