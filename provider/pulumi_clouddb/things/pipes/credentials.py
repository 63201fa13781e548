"""Credentials of a pipe.

A program sets them separately from the source, in one secret, so that the source stays readable.
A request has them within the source, in the form of its kind.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from pulumi_clouddb.schema.base import FilledText, Text
from pulumi_clouddb.schema.check.rules import Rule, RuleContext
from pulumi_clouddb.schema.names import property_name, property_names
from pulumi_clouddb.schema.thing import Part, asked
from pulumi_clouddb.schema.usual import AccessKeyId, FilledCertificates, PrivateKey, ServiceAccountKey
from pulumi_clouddb.schema.values import WireDict, WireValues

from .sources import KafkaSource


class RegistryCredentials(Part):
    """Credentials of a schema registry."""

    username: FilledText | None = asked("User name.", required=True)
    password: FilledText | None = asked("Password.", required=True)


LONGEST_SCHEMA = 1_048_576
"""Characters of base64 for a schema of 768 KiB."""


def _is_no_base64(given: PipeCredentials, _: RuleContext) -> bool:
    text = given.protobuf_schema
    if text is None:
        return False
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() != text
    except ValueError:
        return True


class PipeCredentials(Part):
    """Credentials of a pipe. Set those that its `authentication` requires."""

    RULES = (Rule(lambda given: given.protobuf_schema, _is_no_base64, "must be base64 with its padding, on one line"),)

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
    protobuf_schema: Text | None = asked(
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

TAKES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "kafka": (USER, ACCESS_KEY, CONNECTION, CERTIFICATE, REGISTRY, SCHEMA),
    "objectStorage": (ACCESS_KEY, CONNECTION, SERVICE_ACCOUNT),
    "kinesis": (ACCESS_KEY, SCHEMA),
    "pubsub": (SERVICE_ACCOUNT,),
    "postgres": (USER,),
    "mysql": (USER,),
    "bigquery": (SERVICE_ACCOUNT,),
    "mongodb": (USER,),
}
"""The credentials that each kind of source accepts, in groups that are set together."""

OF_AUTHENTICATION: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "PLAIN": (USER, CONNECTION),
    **dict.fromkeys(("SCRAM-SHA-256", "SCRAM-SHA-512"), (USER,)),
    **dict.fromkeys(("IAM_ROLE", "None"), ()),
    "IAM_USER": (ACCESS_KEY,),
    "MUTUAL_TLS": (CERTIFICATE,),
    "CONNECTION_STRING": (CONNECTION,),
    "SERVICE_ACCOUNT": (SERVICE_ACCOUNT,),
}
"""The credentials of each authentication of a stream or of files."""

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
