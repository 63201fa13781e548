"""What the requests about services may hold, cut out of the model of the create body."""

from __future__ import annotations

from enum import Enum
from functools import cache

from pulumi_clouddb.models.base import FilledText, Model, Text, prop, wire_names
from pulumi_clouddb.models.common import IpAccessEntry
from pulumi_clouddb.models.service import BASIC_DETAILS, REPLICA_SCALING, TOTAL_SCALING, ServiceCreate

from .bodies import part_of

MAX_TAGS = 50
"""Tags per service, and per list of a tag change (openapi: `tags`, `InstanceTagsPatch`)."""

_TAG_TEXT = "^[a-zA-Z0-9._-]+$"


class Command(str, Enum):
    """What can be done to a service's state."""

    START = "start"
    STOP = "stop"
    AWAKE = "awake"


class StateCommand(Model):
    """Body of the command operation."""

    command: Command = prop("`start`, `stop` or `awake`.", required=True)


class PasswordChange(Model):
    """Body of the password operation; with neither hash the server makes a password up."""

    new_password_hash: Text | None = prop("Base64 of the SHA-256 of the new password.", secret=True)
    new_double_sha1_hash: Text | None = prop(
        "Hex of the doubled SHA-1 of the new password, for mysql; without effect alone.", secret=True
    )


class IpListChange(Model):
    """Change of the IP list; removals come before additions."""

    add: list[IpAccessEntry] | None = prop("Entries to add; one with a known source takes its place.")
    remove: list[IpAccessEntry] | None = prop("Entries to remove, known by their source.")


class EndpointIdsChange(Model):
    """Change of the private endpoints; removals come before additions."""

    add: list[FilledText] | None = prop("Ids to add.")
    remove: list[FilledText] | None = prop("Ids to remove.")


class Tag(Model):
    """A tag of a service (openapi: `ResourceTagsV1`)."""

    key: Text = prop("Key of the tag.", required=True, min_length=1, max_length=128, pattern=_TAG_TEXT)
    value: Text | None = prop("Value of the tag.", max_length=256, pattern=_TAG_TEXT)


class TagsChange(Model):
    """Change of the tags; removals come before additions (openapi: `InstanceTagsPatch`)."""

    add: list[Tag] | None = prop("Tags to add; one with a known key takes its place.", max_length=MAX_TAGS)
    remove: list[Tag] | None = prop("Tags to remove, known by their key.", max_length=MAX_TAGS)


@cache
def create_body(limits: type[Model], tags: bool) -> type[Model]:
    """Return the body of a create, within the limits of `limits`, with or without tags."""
    more = {"tags": (list[Tag] | None, prop("Tags of the service.", max_length=MAX_TAGS))}
    return part_of(limits, wire_names(ServiceCreate), **(more if tags else {}))


@cache
def basic_details(tags: bool) -> type[Model]:
    """Return the body of an update of the basic details, with or without tags."""
    more = {"tags": (TagsChange | None, prop("Change of the tags."))}
    return part_of(
        ServiceCreate,
        BASIC_DETAILS,
        ip_access_list=(IpListChange | None, prop("Change of the IP list.")),
        private_endpoint_ids=(EndpointIdsChange | None, prop("Change of the private endpoints.")),
        **(more if tags else {}),
    )


ReplicaScaling = part_of(ServiceCreate, REPLICA_SCALING)
TotalScaling = part_of(ServiceCreate, TOTAL_SCALING)
