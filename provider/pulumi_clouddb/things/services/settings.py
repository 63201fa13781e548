"""Service settings with operations of their own: sent when they change, read where the program manages them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

from pulumi_clouddb.client.errors import (
    ApiError,
    ClientError,
    NotFoundError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.client.operation import Forms
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.settled import held, repeated
from pulumi_clouddb.resource.state import State, among
from pulumi_clouddb.schema.base import extras_of, wire_name, wire_names
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.names import NAME, did_you_mean, property_name
from pulumi_clouddb.schema.thing import Part, body_of
from pulumi_clouddb.schema.values import WireDict, WireValues, objects

from .api import Services
from .parts import (
    DAY_HOURS,
    BackupBucket,
    BackupConfiguration,
    QueryEndpoint,
    ReplicaAwareRouting,
    ScalingSchedule,
    ScheduledScaling,
    SnapshotConfiguration,
    UpgradeWindow,
)
from .service import Service

BACKUPS = property_name(Service, lambda it: it.backup_configuration)
SNAPSHOTS = property_name(Service, lambda it: it.snapshot_configuration)
ROUTING = property_name(Service, lambda it: it.replica_aware_routing)
QUERIES = property_name(Service, lambda it: it.query_endpoint)
SCHEDULE = property_name(Service, lambda it: it.scaling_schedule)
WINDOW = property_name(Service, lambda it: it.upgrade_window)
VALUES = property_name(Service, lambda it: it.settings)
BUCKET = property_name(Service, lambda it: it.backup_bucket)
BUCKET_SECRET = property_name(Service, lambda it: it.backup_bucket_secret)
_ENABLED = property_name(SnapshotConfiguration, lambda it: it.enabled)
_ENTRIES = property_name(ScalingSchedule, lambda schedule: schedule.entries)
_COUNT = property_name(ScheduledScaling, lambda entry: entry.num_replicas)
_LEAST = property_name(ScheduledScaling, lambda entry: entry.min_replicas)
_MOST = property_name(ScheduledScaling, lambda entry: entry.max_replicas)
PASSWORD_HASHES: dict[str, str] = {
    wire_name(Service, name): extras_of(Service, name)["api"] for name in ("password_hash", "password_double_sha1_hash")
}
"""The fields of *Update service password* by the properties that they are made of."""

HASH, MYSQL_HASH = PASSWORD_HASHES

SECRET_SETTINGS = (HASH, MYSQL_HASH, BUCKET_SECRET)
"""The settings that no server returns."""

_PROVIDER = property_name(BackupBucket, lambda bucket: bucket.bucket_provider)
SECRETS_OF_BUCKETS = {"GCP": "secretAccessKey", "AZURE": "connectionString"}
"""The field that takes the secret of a bucket, by its cloud (OpenAPI: `BackupBucketPostRequest`)."""


NO_QUERIES = to_wire(QueryEndpoint.model_construct(roles=[], open_api_keys=[], allowed_origins=""))
"""A query endpoint that allows no caller; servers require all of its properties."""


DEFAULT_BACKUPS = to_wire(
    BackupConfiguration.model_construct(backup_period_in_hours=DAY_HOURS, backup_retention_period_in_hours=DAY_HOURS)
)
"""The backups of a service that nobody has configured."""

READS = {
    BACKUPS: Services.GET_BACKUP_CONFIGURATION,
    SNAPSHOTS: Services.GET_SNAPSHOT_CONFIGURATION,
    ROUTING: Services.GET_REPLICA_AWARE_ROUTING,
    QUERIES: Services.GET_QUERY_ENDPOINT,
    SCHEDULE: Services.GET_SCALING_SCHEDULE,
    WINDOW: Services.GET_UPGRADE_WINDOW,
    VALUES: Services.GET_SETTINGS,
    BUCKET: Services.GET_BACKUP_BUCKET,
}
REPLACED = {
    QUERIES: (Services.SET_QUERY_ENDPOINT, Services.DELETE_QUERY_ENDPOINT),
    SCHEDULE: (Services.SET_SCALING_SCHEDULE, Services.DELETE_SCALING_SCHEDULE),
    WINDOW: (Services.SET_UPGRADE_WINDOW, Services.DELETE_UPGRADE_WINDOW),
}
"""The settings that one operation replaces whole, and another one deletes."""

OF_WAREHOUSE = (BACKUPS, WINDOW, BUCKET)
"""The settings that only the first service of a warehouse has."""


def send_settings(session: Session, service_id: str, old: Service, wanted: Service, changed: Collection[str]) -> None:
    """Send the settings that change, each by its own operation; `changed` are their wire names.

    Raises:
        ApiError: One was refused; those before it have been carried out.
    """
    services, before, after = session.api.of(Services), to_wire(old), to_wire(wanted)
    send = partial(services.call, object_id=service_id)
    if HASH in after and not {HASH, MYSQL_HASH}.isdisjoint(changed):
        hashes = {field: after[name] for name, field in PASSWORD_HASHES.items() if name in after}
        repeated(lambda: send(services.RESET_PASSWORD, body=hashes))
    if BACKUPS in changed:
        backups = {**dict.fromkeys(before.get(BACKUPS) or ()), **(after.get(BACKUPS) or {})}
        repeated(lambda: send(services.CONFIGURE_BACKUPS, body=backups))
    for name in among(ENROLLED, changed):
        if name in after:
            _configure(services, service_id, name, after)
    for name in among(REPLACED, changed):
        _replace(services, service_id, name, after.get(name))
    _send_bucket(session, service_id, after, changed)


class Enrolment(NamedTuple):
    """A setting that some organizations do not have: its update, how it is refused to them, and what to do then."""

    update: Forms
    refused: frozenset[int]
    advice: str


ENROLLED = {
    SNAPSHOTS: Enrolment(
        Services.CONFIGURE_SNAPSHOTS,
        frozenset({HTTPStatus.FORBIDDEN}),
        "have the organization enrolled in snapshots and the key permitted to manage backups",
    ),
    ROUTING: Enrolment(
        Services.UPDATE_REPLICA_AWARE_ROUTING,
        frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN}),
        "have the vendor's support enable it: it needs an ENTERPRISE organization and two replicas or more",
    ),
}
"""Updates of these change only what they contain."""


def _configure(services: Services, service_id: str, name: str, after: WireValues) -> None:
    enrolment = ENROLLED[name]
    try:
        repeated(lambda: services.call(enrolment.update, service_id, after[name]))
    except (ClientError, UnauthorizedError) as error:
        if not _not_enrolled(name, error):
            raise
        raise ResourceError(
            f"{name} of service {after.get(NAME)!r} ({service_id}): {error.message}",
            f"Remove {name}, or {enrolment.advice}.",
        ) from None


def _replace(services: Services, service_id: str, name: str, value: WireValues | None) -> None:
    """Replace a setting whole, or delete it if there is no value."""
    replace, delete = REPLACED[name]
    if value is not None:
        body = {**(NO_QUERIES if name == QUERIES else {}), **value}
        repeated(lambda: services.call(replace, service_id, body))
        return
    with suppress(NotFoundError):  # somebody else has deleted it
        services.call(delete, service_id)


def _send_bucket(session: Session, service_id: str, after: WireValues, changed: Collection[str]) -> None:
    """Set the bucket if it or its secret changes; delete it if the program no longer has it."""
    services = session.api.of(Services)
    if BUCKET in after and not {BUCKET, BUCKET_SECRET}.isdisjoint(changed):
        bucket = with_secret(after[BUCKET], after.get(BUCKET_SECRET))
        repeated(
            lambda: held(session, services, service_id, partial(_set_bucket, service_id=service_id, bucket=bucket))
        )
    elif BUCKET in changed:
        _delete_bucket(services, service_id)


def _set_bucket(session: Session, service_id: str, bucket: WireValues) -> None:
    """Create the bucket, or update the existing one; one of another cloud is deleted before."""
    services = session.api.of(Services)
    try:
        existing = services.call(services.GET_BACKUP_BUCKET, service_id)
    except NotFoundError:
        existing = None
    if existing is not None and existing.get(_PROVIDER) == bucket[_PROVIDER]:
        services.call(services.UPDATE_BACKUP_BUCKET, service_id, bucket)
        return
    if existing is not None:
        _delete_bucket(services, service_id)
    services.call(services.CREATE_BACKUP_BUCKET, service_id, bucket)


def _delete_bucket(services: Services, service_id: str) -> None:
    with suppress(NotFoundError):  # somebody else has deleted it
        services.call(services.DELETE_BACKUP_BUCKET, service_id)


def current_settings(services: Services, service_id: str) -> dict[str, str] | None:
    """Return the settings that the engine has now; None if they cannot be read."""
    with suppress(ApiError):
        return services.settings(service_id)
    return None


def send_engine_settings(
    session: Session, service_id: str, old: State[Service], wanted: Service, changed: Collection[str]
) -> None:
    """Send the settings of the engine that change, if the server's schema has them; reset those that were taken out.

    Settings that somebody has added since the last write are reset, too: a refresh would show them as drift.

    Raises:
        ResourceError: The server has no such setting, or does not accept the value; nothing has been sent.
        ApiError: The server refused.
    """
    if VALUES not in changed:
        return
    services, before, after = session.api.of(Services), old.wanted.settings or {}, wanted.settings or {}
    gone = before.keys() - after.keys()
    if after and VALUES in old.added:
        gone |= (current_settings(services, service_id) or {}).keys() - after.keys() - old.added[VALUES].keys()
    new = {name: value for name, value in after.items() if before.get(name) != value}
    if new:
        schema = services.settings_schema(service_id)
        values = _typed(schema, new)
        answer = repeated(lambda: services.change_settings(service_id, values))
        for name, message in _warnings(answer, schema or {}, new).items():
            session.warn(f"Setting {name} of service {wanted.name!r}: {message}")
    for name in sorted(gone):
        repeated(partial(services.call, services.DELETE_SETTING, service_id, setting_name=name))


def _warnings(answer: WireValues, schema: Mapping[str, WireValues], sent: Iterable[str]) -> dict[str, object]:
    """Return the warnings of a response, and the deprecations of the schema, by setting."""
    warnings = {str(each.get("name")): each.get("message") for each in objects(answer.get("warnings"))}
    return warnings | {name: notice for name in sent if (notice := schema.get(name, {}).get("deprecationNotice"))}


def _typed(schema: Mapping[str, WireValues] | None, values: Mapping[str, str]) -> WireDict:
    """Return settings with the types of the server's schema; refuse those that it does not have."""
    if schema is None:
        return dict(values)
    typed, faults = {}, []
    for name, value in sorted(values.items()):
        known = schema.get(name)
        whole = known is not None and known.get("type") == "integer"
        typed[name] = int(value) if whole and re.fullmatch("[+-]?[0-9]+", value) else value
        if known is None:
            faults.append(f"the server has no setting {name}{did_you_mean(name, schema)}")
        elif whole and isinstance(typed[name], str):
            faults.append(f"{name} must be a whole number, not {value!r}")
        elif (allowed := known.get("enum")) and value not in map(str, allowed):
            faults.append(f"{name} must be one of {', '.join(map(str, allowed))}, not {value!r}")
    if faults:
        raise ResourceError(f"{VALUES}: {'; '.join(faults)}", "None of them was sent. Correct them, then run again.")
    return typed


def with_secret(bucket: WireValues, secret: str | None) -> WireDict:
    """Return the body of a bucket, with its secret in the field that its cloud has for it."""
    name = SECRETS_OF_BUCKETS.get(str(bucket.get(_PROVIDER)))
    return {**bucket, name: secret} if name and secret else dict(bucket)


def lacks_secret(inputs: WireValues, old: WireValues) -> bool:
    """Return whether the bucket changes without its secret, on a cloud that has one."""
    bucket = inputs.get(BUCKET)
    if not isinstance(bucket, Mapping) or bucket == old.get(BUCKET) or inputs.get(BUCKET_SECRET) is not None:
        return False
    return bucket.get(_PROVIDER) in SECRETS_OF_BUCKETS


def with_managed_settings(session: Session, service_id: str, wanted: Service, record: Service) -> Service:
    """Return a record with the settings that the program manages, each of which costs a request.

    A setting that the server no longer has is None.
    """
    services, managed, values = session.api.of(Services), to_wire(wanted), to_wire(record)
    for name in among(READS, managed):
        listed = values.get(name) if name == SCHEDULE else None
        try:
            values[name] = _as_written(name, listed or _read(services, service_id, name), managed[name])
        except NotFoundError:
            values[name] = None
        except (ClientError, UnauthorizedError) as error:
            if not _not_enrolled(name, error):
                raise
            values[name] = None
        except UnsupportedOperationError:
            session.warn(f"This server offers no way to read {name} of a service; state keeps its last value.")
            values[name] = managed[name]
    whole = parse(Service, values)
    whole.keep_answer(record.answer)
    return whole


def existing_settings(session: Session, service_id: str, record: Service) -> WireDict:
    """Return, by wire name, the settings of a service that no program has managed so far; most cost a request.

    Left out are defaults of the server, settings that it does not offer, and, with a warning, those that this key may
    not read.
    """
    services = session.api.of(Services)
    settings: WireDict = {}
    if schedule := schedule_as_written(to_wire(record).get(SCHEDULE) or {}, {}):
        settings[SCHEDULE] = schedule
    if not services.keep_settings:
        return settings
    for name in READS:
        if name == SCHEDULE or (record.is_primary is False and name in OF_WAREHOUSE):
            continue
        try:
            value = _without_defaults(name, _read(services, service_id, name))
        except (NotFoundError, UnsupportedOperationError):
            continue
        except (ClientError, UnauthorizedError) as error:
            if _not_enrolled(name, error):
                continue
            what = f"{name} of service {record.name!r} ({service_id})"
            session.warn(f"{what} could not be read, and is left as it is: {error.status} {error.message}")
            continue
        if value is not None:
            settings[name] = value
    return settings


def _not_enrolled(name: str, error: ApiError) -> bool:
    """Return whether the organization does not have this setting."""
    return name in ENROLLED and error.status in ENROLLED[name].refused


def _read(services: Services, service_id: str, name: str) -> WireDict:
    """Request a setting."""
    return services.settings(service_id) if name == VALUES else dict(services.call(READS[name], service_id))


def _as_written(name: str, answer: WireValues, managed: WireValues) -> WireValues | None:
    """Return the response to a read in the form of a write."""
    if name == SCHEDULE:
        return schedule_as_written(answer, managed)
    return _writable(QueryEndpoint, answer) if name == QUERIES else answer


def _without_defaults(name: str, answer: WireValues) -> WireValues | None:
    """Return the response to a read as a program would write it; None if it is the server's default."""
    if name == VALUES:
        return answer or None
    models = {
        BACKUPS: BackupConfiguration,
        SNAPSHOTS: SnapshotConfiguration,
        ROUTING: ReplicaAwareRouting,
        QUERIES: QueryEndpoint,
        WINDOW: UpgradeWindow,
        BUCKET: BackupBucket,
    }
    values = {field: value for field, value in _writable(models[name], answer).items() if value not in (None, "", [])}
    if name == SNAPSHOTS:
        return values if answer.get(_ENABLED) else None
    if name == ROUTING:
        return values if any(values.values()) else None
    return None if name == BACKUPS and {**DEFAULT_BACKUPS, **values} == DEFAULT_BACKUPS else values


def schedule_as_written(answer: WireValues, managed: WireValues) -> WireDict | None:
    """Return a server's schedule in the form of a write; None if it has no entries.

    A number of replicas replaces equal minimum and maximum numbers, unless the program has these.
    """
    entries = [entry for entry in answer.get(_ENTRIES) or () if isinstance(entry, Mapping)]
    before = managed.get(_ENTRIES) or []
    written = [_entry(entry, before[index] if index < len(before) else {}) for index, entry in enumerate(entries)]
    return {_ENTRIES: written} if written else None


def _entry(answer: WireValues, managed: WireValues) -> WireDict:
    entry = {name: value for name, value in _writable(ScheduledScaling, answer).items() if value is not None}
    count = entry.get(_LEAST)
    if count is not None and count == entry.get(_MOST) and _LEAST not in managed:
        del entry[_LEAST], entry[_MOST]
        entry[_COUNT] = count
    return entry


def _writable(model: type[Part], answer: WireValues) -> WireDict:
    """Return the properties of a response that a request can have."""
    return {name: answer[name] for name in wire_names(body_of(model)) if name in answer}
