"""Data sources: they are only read."""

from __future__ import annotations

from typing import Any

from pulumi_clouddb.api.collections.sources import Sources
from pulumi_clouddb.models.source import LIST_SOURCES

from .functions import Function, listing, named

SOURCE_FUNCTIONS: tuple[Function[Any], ...] = (
    Function(
        LIST_SOURCES,
        lambda api, args: listing(
            LIST_SOURCES, (each.answer for each in named(args.name, api.of(Sources, args.service_id).list()))
        ),
    ),
)
