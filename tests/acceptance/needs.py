"""The file of needs: what only the owner of an account can give, such as the address of a broker.

It is YAML, and every entry is optional. A life whose need is missing is skipped, and the report names it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from .guard import Allowances

Values = dict[str, Any]


class Place(BaseModel):
    """Where services are made.

    Attributes:
        provider: The cloud.
        region: Its region.
        replicas: Replicas of a service; by default, the fewest that the tier of the organization allows.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str = "aws"
    region: str = "us-east-1"
    replicas: int | None = Field(None, ge=1, le=3)


class Needs(BaseModel):
    """What an account gives.

    Attributes:
        place: Where services are made.
        kafka: Inputs of a `Pipe` from a broker: `source`, `credentials`, and `destination` if the usual one does not
            fit.
        object_storage: The same from a bucket.
        postgres: The same from a Postgres database.
        backup_bucket: The inputs `backupBucket` and `backupBucketSecret` of a `Service`.
        private_endpoint: Inputs of a `PrivateEndpoint`: `endpointId`, and `description` if it should have one.
        reverse_private_endpoint: Inputs of a `ReversePrivateEndpoint`, without `serviceId`.
        byoc: Inputs of a `ByocInfrastructure`, without `displayName`.
        postgres_service: Inputs of a `PostgresService`: `provider`, `region`, and two sizes, `size` and `largerSize`.
        invite: A mail address; the run invites `NAME+TOKEN@HOST`, which providers deliver to `NAME@HOST`.
        member: The id of a member whose roles may change during the run, and are restored.
        snapshots: Whether the organization is enrolled in snapshots of services.
        replica_aware_routing: Whether the organization has the feature of replica-aware routing, which needs two
            replicas.
        newer_stack: Whether the self-hosted observability server is newer than 2.36.0, and has alerts with charts and
            sources of flows.
        organization_settings: Whether the name of the organization may change during the run, and is restored.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: Place = Place()
    kafka: Values | None = None
    object_storage: Values | None = None
    postgres: Values | None = None
    backup_bucket: Values | None = None
    private_endpoint: Values | None = None
    reverse_private_endpoint: Values | None = None
    byoc: Values | None = None
    postgres_service: Values | None = None
    invite: str | None = Field(None, pattern=r"^[^@+\s]+@[^@\s]+$")
    member: str | None = None
    snapshots: bool = False
    replica_aware_routing: bool = False
    newer_stack: bool = False
    organization_settings: bool = False

    @property
    def allowances(self) -> Allowances:
        """The objects of others that the run may change, and restores."""
        endpoint = (self.private_endpoint or {}).get("endpointId")
        return Allowances(
            settings=self.organization_settings,
            members=[self.member] if self.member else [],
            endpoints=[endpoint] if endpoint else [],
        )

    @property
    def secrets(self) -> Values:
        """The inputs that are secret, which no recording may contain."""
        pipes = [each for each in (self.kafka, self.object_storage, self.postgres) if each]
        secret = (self.backup_bucket or {}).get("backupBucketSecret")
        return {"credentials": [each.get("credentials") for each in pipes], "backupBucketSecret": secret}

    def has(self, need: str | None) -> bool:
        """Return whether a need is given; None is no need."""
        return need is None or bool(getattr(self, need))


NOTHING = Needs()


def read(file: Path | None) -> Needs:
    """Return the needs in a file; None gives nothing.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not valid.
    """
    if file is None:
        return NOTHING
    try:
        return Needs.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")) or {})
    except yaml.YAMLError as error:
        raise ValueError(f"{file}: {error}") from None
