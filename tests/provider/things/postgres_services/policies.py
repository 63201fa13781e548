"""Policy cases of Postgres services: their protection, region and cost."""

from __future__ import annotations

from dataclasses import replace

from clouddb_tools.testing import UNKNOWN
from policy.case import Case
from things.services.policies import OF_DATABASES

UUID = "7f3c2a10-0000-4000-8000-00000000000c"
OF_REPLICA = {"readReplicaOf": UUID, "provider": None, "region": None, "size": None, "haType": None, "password": None}

CASES = [
    *(replace(case, about="PostgresService") for case in OF_DATABASES),
    Case(
        "service-waited-for",
        "PostgresService",
        fails={"waitTimeoutMinutes": 0},
        says="waitTimeoutMinutes is 0; set 5 to 120 minutes, or omit it",
        passes={"waitTimeoutMinutes": 120},
        fixed={"waitTimeoutMinutes": 5},
    ),
    Case(
        "service-regions",
        "PostgresService",
        settings={"regions": ["eu-central-1"]},
        fails={"region": "us-east-1"},
        says="region is 'us-east-1'; set one of eu-central-1",
        also=(({"region": None}, "region is not set"),),
        passes=OF_REPLICA,
        also_passes=({"region": "eu-central-1"},),
    ),
    Case(
        "service-providers",
        "PostgresService",
        settings={"providers": ["gcp"]},
        fails={"provider": "aws"},
        says="provider is 'aws'; set one of gcp",
        passes={"provider": None, "region": None, "restoreFrom": {"postgresServiceId": UUID, "time": UNKNOWN}},
    ),
    Case(
        "production-postgres-standby",
        "PostgresService",
        stack="prod",
        fails={"haType": "none"},
        says="haType is 'none'; use async or sync",
        also=(({"haType": None}, "haType is not set; use async or sync"),),
        passes={"haType": "sync"},
        fixed={"haType": "async"},
        also_passes=(OF_REPLICA,),
    ),
    Case(
        "postgres-sizes",
        "PostgresService",
        settings={"sizes": ["m6gd.large", "m6gd.xlarge"]},
        fails={"size": "m6gd.16xlarge"},
        says="size is 'm6gd.16xlarge'; set one of m6gd.large, m6gd.xlarge",
        passes={"size": "m6gd.xlarge"},
        also_passes=(OF_REPLICA,),
    ),
    Case(
        "service-providers",
        "PostgresService",
        fails={"provider": None},
        says="provider is not set; set one",
        passes={"provider": "gcp", "size": "c4a-highmem-4"},
    ),
    Case(
        "no-ignored-protection",
        "PostgresService",
        fails={},
        options={"ignore_changes": ("deletionProtection",)},
        says="ignoreChanges contains 'deletionProtection'; remove it",
        unknown={"deletionProtection": UNKNOWN},
    ),
]
