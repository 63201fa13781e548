"""Connections of the self-hosted server to databases."""

from __future__ import annotations

from typing_extensions import Required, TypedDict

from description.exchange import collection
from description.notation import Moment


class Change(TypedDict, total=False):
    name: Required[str]
    host: Required[str]
    username: Required[str]
    password: str
    hyperdxSettingPrefix: str | None
    isPrometheusEndpoint: bool


class Connection(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    host: Required[str]
    username: Required[str]
    hyperdxSettingPrefix: str | None
    isPrometheusEndpoint: bool
    createdAt: Moment
    updatedAt: Moment


EXCHANGES = collection("connection", "connections", Change, Change, Connection)
