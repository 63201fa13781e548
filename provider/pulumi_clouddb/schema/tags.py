"""Tags of services, and the one that marks what this provider has created."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .base import Data, Text, prop
from .equality import as_set
from .thing import Part

CREATE_TAG: Final = "pulumi-clouddb-create"
"""The key of the tag on objects that this provider has created; programs and outputs do not contain it."""

MAX_TAGS: Final = 50
"""Tags of a service, and of each list of a change of them (OpenAPI: `tags`, `InstanceTagsPatch`, `pgTags`)."""

_TAG_TEXT = "^[a-zA-Z0-9._-]+$"


def as_tags(value: object) -> Any:
    """Return tags as a set; a missing value equals an empty one."""
    if not isinstance(value, list) or not all(isinstance(tag, Mapping) for tag in value):
        return value
    return as_set([[tag.get("key"), tag.get("value") or ""] for tag in value])


class ServiceTag(Part):
    """A tag of a service (OpenAPI: `ResourceTagsV1`)."""

    key: Text = prop("Key of the tag.", required=True, min_length=1, max_length=128, pattern=_TAG_TEXT)
    value: Data | None = prop("Value of the tag.", max_length=256, pattern=_TAG_TEXT)
