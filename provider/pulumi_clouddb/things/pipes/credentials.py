"""Credentials of a pipe.

A program sets them separately from the source, in one secret, so that the source stays readable.
A request has them within the source, in the form of its kind.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping
from typing import ClassVar

from pulumi_clouddb.schema.base import Code, FilledText
from pulumi_clouddb.schema.check.rules import API, Rule, rule
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.thing import Part, asked
from pulumi_clouddb.schema.usual import AccessKeyId, FilledCertificates, PrivateKey, ServiceAccountKey
from pulumi_clouddb.schema.values import WireDict, WireValues

from .streams import KafkaSource


class RegistryCredentials(Part):
    """Credentials of a schema registry."""

    username: FilledText | None = asked("User name.", required=True)
    password: FilledText | None = asked("Password.", required=True)


LONGEST_SCHEMA = 1_048_576
"""Characters of base64 for a schema of 768 KiB."""


def _is_no_base64(given: PipeCredentials) -> bool:
    text = given.protobuf_schema
    if text is None:
        return False
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() != text
    except ValueError:
        return True


class PipeCredentials(Part):
    """Credentials of a pipe. Set those that its `authentication` requires."""

    RULES: ClassVar[tuple[Rule[PipeCredentials], ...]] = (
        rule(
            lambda given: given.protobuf_schema,
            "must be base64 with its padding, on one line",
            _is_no_base64,
            source=API("ClickPipePostKafkaSource.protobufSchema"),
        ),
    )

    username: FilledText | None = asked("User name.")
    password: FilledText | None = asked("Password.")
    access_key_id: AccessKeyId | None = asked("Id of an access key.")
    secret_key: FilledText | None = asked("Secret of the access key.")
    connection_string: FilledText | None = asked("Connection string of Azure.")
    certificate: FilledCertificates | None = asked("Client certificate, PEM.")
    private_key: PrivateKey | None = asked("Private key of the client certificate, PEM.")
    service_account_key: ServiceAccountKey | None = asked("Key file of a service account of Google Cloud, in base64.")
    schema_registry: RegistryCredentials | None = asked(
        "Credentials of the schema registry, of type `confluent`.", replaces=True
    )
    protobuf_schema: Code | None = asked(
        "Schema of the messages of Kafka or Kinesis, instead of a schema registry: the base64 of a .proto file or of a "
        "serialized FileDescriptorSet, of at most 768 KiB. It is not a credential, but the vendor treats it as one.",
        replaces=True,
        min_length=1,
        max_length=LONGEST_SCHEMA,
    )


USER = property_names(PipeCredentials, lambda each: (each.username, each.password))
ACCESS_KEY = property_names(PipeCredentials, lambda each: (each.access_key_id, each.secret_key))
CERTIFICATE = property_names(PipeCredentials, lambda each: (each.certificate, each.private_key))
CONNECTION = property_names(PipeCredentials, lambda each: (each.connection_string,))
SERVICE_ACCOUNT = property_names(PipeCredentials, lambda each: (each.service_account_key,))
REGISTRY = property_names(PipeCredentials, lambda each: (each.schema_registry,))
SCHEMA = property_names(PipeCredentials, lambda each: (each.protobuf_schema,))

Groups = tuple[tuple[str, ...], ...]

_OF_DATABASE: Mapping[str, Groups] = {"basic": (USER,), "IAM_ROLE": (USER[:1],)}

NEEDED: Mapping[str, Mapping[str, Groups]] = {
    "kafka": {
        "PLAIN": (USER, CONNECTION),
        **dict.fromkeys(("SCRAM-SHA-256", "SCRAM-SHA-512"), (USER,)),
        "IAM_USER": (ACCESS_KEY,),
        "MUTUAL_TLS": (CERTIFICATE,),
        "IAM_ROLE": (),
    },
    "objectStorage": {
        "IAM_USER": (ACCESS_KEY,),
        "CONNECTION_STRING": (CONNECTION,),
        "SERVICE_ACCOUNT": (SERVICE_ACCOUNT,),
        **dict.fromkeys(("IAM_ROLE", ""), ()),
    },
    "kinesis": {"IAM_USER": (ACCESS_KEY,), **dict.fromkeys(("IAM_ROLE", ""), ())},
    "pubsub": {"SERVICE_ACCOUNT": (SERVICE_ACCOUNT,)},
    "postgres": {**_OF_DATABASE, "": (USER,)},
    "mysql": {**_OF_DATABASE, "": (USER,)},
    "bigquery": dict.fromkeys(("SERVICE_ACCOUNT", ""), (SERVICE_ACCOUNT,)),
    "mongodb": {"": (USER,)},
}
"""The credentials of each kind of source by its authentication, an empty text without one: one of the groups.

Sources: `clickpipe.go` of the vendor's Terraform provider, v3.25.3, which requires those of Kafka, Kinesis and all
databases but MongoDB, where they may be in the address, which programs here leave without; the description, those of
Pub/Sub, and of files by a connection string or a service account. An IAM_USER of files is an access key by its meaning
alone. Kafka without authentication may have any.
"""

BESIDE: Mapping[str, tuple[str, ...]] = {"kafka": (*REGISTRY, *SCHEMA), "kinesis": SCHEMA}
"""The credentials that a kind of source accepts whatever its authentication."""


def groups_of(kind: str, authentication: object) -> Groups | None:
    """Return the credentials for an authentication; None if any are, or if this version does not know it."""
    return NEEDED[kind].get("" if authentication is None else str(authentication))


def accepted_by(kind: str) -> tuple[str, ...]:
    """Return all credentials that a kind of source accepts."""
    each = (name for groups in NEEDED[kind].values() for group in groups for name in group)
    return tuple(dict.fromkeys((*each, *BESIDE.get(kind, ()))))


def rest_of_groups(kind: str, authentication: object, given: Collection[str]) -> list[str]:
    """Return what is missing beside the given credentials; for one of another authentication, its own groups count."""
    own = groups_of(kind, authentication) or ()
    every = [group for groups in NEEDED[kind].values() for group in groups]
    missing: set[str] = set()
    for name in given:
        groups = [group for group in own if name in group] or [group for group in every if name in group]
        if groups and not any({*group}.issubset(given) for group in groups):
            missing |= {*groups[0]}.difference(given)
    return sorted(missing)


def missing_of(kind: str, authentication: object, given: Collection[str]) -> str:
    """Return in words the credentials that a new pipe lacks; empty if it has what it needs."""
    groups = groups_of(kind, authentication) or ()
    lacking = bool(groups) and not any({*group}.issubset(given) for group in groups)
    return ", or ".join(" and ".join(group) for group in groups) if lacking else ""


_CREDENTIALS, _ACCESS_KEY = "credentials", "accessKey"
IN_REQUESTS = (_CREDENTIALS, _ACCESS_KEY, *SERVICE_ACCOUNT, *CONNECTION, *SCHEMA)
"""The properties of a request with credentials, by the names of the description."""


def in_source(kind: str, given: WireValues) -> WireDict:
    """Return credentials in the form that a request has within a source, without those of a create only."""
    one = {name: value for name, value in given.items() if name not in (*REGISTRY, *SCHEMA)}
    account = {"serviceAccountFile": one.get(SERVICE_ACCOUNT[0])}
    if kind == "pubsub":
        return {SERVICE_ACCOUNT[0]: account} if one else {}
    if kind == "bigquery":
        return {_CREDENTIALS: account} if one else {}
    if kind not in ("objectStorage", "kinesis"):
        return {_CREDENTIALS: one} if one else {}
    key = {name: one.pop(name) for name in ACCESS_KEY if name in one}
    return {**one, _ACCESS_KEY: key} if key else one


def with_credentials(source: WireValues, given: WireValues) -> WireDict:
    """Return the source of a create with its credentials."""
    ((kind, part),) = source.items()
    whole = {**part, **in_source(kind, given)}
    registry = property_name(KafkaSource, lambda each: each.schema_registry)
    if given.get(REGISTRY[0]):
        whole[registry] = {**whole.get(registry, {}), _CREDENTIALS: given[REGISTRY[0]]}
    return {kind: whole | {name: given[name] for name in SCHEMA if name in given}}
