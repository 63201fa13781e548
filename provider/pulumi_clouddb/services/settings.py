"""Service settings with operations of their own, the password among them: sent when they change, read where managed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial

from pulumi_clouddb.client.errors import (
    AmbiguousError,
    ClientError,
    NotFoundError,
    ResourceError,
    UnauthorizedError,
    UnsupportedOperationError,
)
from pulumi_clouddb.create.evidence import latest_commit_seconds
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.resource.settled import repeated
from pulumi_clouddb.schema.base import marks_of, wire_name, wire_names
from pulumi_clouddb.schema.convert import parse, to_wire
from pulumi_clouddb.schema.names import did_you_mean, property_name, property_names
from pulumi_clouddb.schema.thing import Part, body_of
from pulumi_clouddb.schema.values import WireDict, WireValues

from .api import Services
from .parts import (
    DAY_HOURS,
    BackupBucket,
    BackupConfiguration,
    QueryEndpoint,
    ScalingSchedule,
    ScheduledScaling,
    UpgradeWindow,
)
from .service import Service

BACKUPS, QUERIES, SCHEDULE, WINDOW, VALUES, BUCKET, BUCKET_SECRET, ROTATION = property_names(
    Service,
    lambda args: (
        args.backup_configuration,
        args.query_endpoint,
        args.scaling_schedule,
        args.upgrade_window,
        args.settings,
        args.backup_bucket,
        args.backup_bucket_secret,
        args.password_rotation,
    ),
)
_ENTRIES = property_name(ScalingSchedule, lambda schedule: schedule.entries)
_COUNT, _LEAST, _MOST = property_names(
    ScheduledScaling, lambda entry: (entry.num_replicas, entry.min_replicas, entry.max_replicas)
)
PASSWORD_HASHES: dict[str, str] = {
    wire_name(Service, name): marks_of(Service, name)["api"] for name in ("password_hash", "password_double_sha1_hash")
}
"""The fields of *Update service password* by the properties that they are made of."""

HASH, MYSQL_HASH = PASSWORD_HASHES

SECRET_SETTINGS = (HASH, MYSQL_HASH, BUCKET_SECRET)
"""What is sent and never answered."""

_PROVIDER = property_name(BackupBucket, lambda bucket: bucket.bucket_provider)
SECRETS_OF_BUCKETS = {"GCP": "secretAccessKey", "AZURE": "connectionString"}
"""The field that takes the secret of a bucket, by its cloud (openapi: `BackupBucketPostRequest`)."""

NO_QUERIES = to_wire(QueryEndpoint.model_construct(roles=[], open_api_keys=[], allowed_origins=""))
"""A query endpoint that lets nothing in: servers ask for all of its properties."""

RESETS = 3
"""A reset whose response is lost is repeated, as nobody knows the password that it may have set."""

USUAL_BACKUPS = to_wire(
    BackupConfiguration.model_construct(backup_period_in_hours=DAY_HOURS, backup_retention_period_in_hours=DAY_HOURS)
)
"""What a service has of backups where nobody says anything (tests/sandbox/test_sandbox_clickhouse.py)."""


def send_settings(session: Session, service_id: str, old: Service, args: Service, changed: Collection[str]) -> None:
    """Send the settings that change, each by its own operation; `changed` are the wire names of what changes.

    Raises:
        ApiError: One was refused; those before it have been carried out.
    """
    services = session.api.of(Services)
    said, wanted = to_wire(old), to_wire(args)
    if HASH in wanted and not {HASH, MYSQL_HASH}.isdisjoint(changed):
        hashes = {theirs: wanted[ours] for ours, theirs in PASSWORD_HASHES.items() if ours in wanted}
        repeated(lambda: services.set_password(service_id, hashes))
    if BACKUPS in changed:
        body = {**dict.fromkeys(said.get(BACKUPS) or ()), **(wanted.get(BACKUPS) or {})}
        repeated(lambda: services.configure_backups(service_id, body))
    if QUERIES in wanted and QUERIES in changed:
        endpoint = {**NO_QUERIES, **wanted[QUERIES]}
        repeated(lambda: services.set_query_endpoint(service_id, endpoint))
    elif QUERIES in changed:
        _gone(lambda: services.delete_query_endpoint(service_id))
    if SCHEDULE in wanted and SCHEDULE in changed:
        repeated(lambda: services.set_scaling_schedule(service_id, wanted[SCHEDULE]))
    elif SCHEDULE in changed:
        _gone(lambda: services.delete_scaling_schedule(service_id))
    if WINDOW in wanted and WINDOW in changed:
        repeated(lambda: services.set_upgrade_window(service_id, wanted[WINDOW]))
    elif WINDOW in changed:
        _gone(lambda: services.delete_upgrade_window(service_id))
    if BUCKET in wanted and not {BUCKET, BUCKET_SECRET}.isdisjoint(changed):
        bucket = with_secret(wanted[BUCKET], wanted.get(BUCKET_SECRET))
        repeated(lambda: _set_bucket(services, service_id, bucket))
    elif BUCKET in changed:
        _gone(lambda: services.delete_backup_bucket(service_id))


def send_values(session: Session, service_id: str, old: Service, args: Service, changed: Collection[str]) -> None:
    """Send the settings of the engine that change, once the server's schema has them; reset those that were taken out.

    Raises:
        ResourceError: The server has no such setting, or it takes no such value; nothing has been sent.
        ApiError: The server refused.
    """
    if VALUES not in changed:
        return
    services, before, wanted = session.api.of(Services), old.settings or {}, args.settings or {}
    new = {name: value for name, value in wanted.items() if before.get(name) != value}
    if new:
        schema = services.settings_schema(service_id)
        typed = _typed(schema, new)
        answered = repeated(lambda: services.update_settings(service_id, typed))
        told = {each.get("name"): each.get("message") for each in answered.get("warnings") or ()}
        told |= {name: notice for name in new if (notice := (schema or {}).get(name, {}).get("deprecationNotice"))}
        for name, message in told.items():
            session.warn(f"Setting {name} of service {args.name!r}: {message}")
    for name in before.keys() - wanted.keys():
        repeated(partial(services.delete_setting, service_id, name))


def _typed(schema: Mapping[str, WireValues] | None, values: Mapping[str, str]) -> WireDict:
    """Return settings as the server's schema types them, or refuse those that it has not."""
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
    """Return the body of a bucket, with its secret under the name that its cloud has."""
    name = SECRETS_OF_BUCKETS.get(str(bucket.get(_PROVIDER)))
    return {**bucket, name: secret} if name and secret else dict(bucket)


def _set_bucket(services: Services, service_id: str, bucket: WireValues) -> None:
    """Create the bucket, or update the one that is there; one of another cloud is deleted before."""
    try:
        there = services.backup_bucket(service_id)
    except NotFoundError:
        services.create_backup_bucket(service_id, bucket)
        return
    if there.get(_PROVIDER) == bucket[_PROVIDER]:
        services.update_backup_bucket(service_id, bucket)
        return
    _gone(lambda: services.delete_backup_bucket(service_id))
    services.create_backup_bucket(service_id, bucket)


def lacks_secret(inputs: WireValues, old: WireValues) -> bool:
    """Return whether the bucket changes on a cloud whose servers want its secret with that, and there is none."""
    bucket = inputs.get(BUCKET)
    if not isinstance(bucket, Mapping) or bucket == old.get(BUCKET) or inputs.get(BUCKET_SECRET) is not None:
        return False
    return bucket.get(_PROVIDER) in SECRETS_OF_BUCKETS


def with_settings(session: Session, service_id: str, args: Service, record: Service) -> Service:
    """Return a record with the settings that the program says, each of which costs a request.

    A setting that the server does not have any more is None.
    """
    services, said = session.api.of(Services), to_wire(args)
    served = to_wire(record)
    reads: dict[str, Callable[[], object]] = {
        BACKUPS: lambda: services.backup_configuration(service_id),
        QUERIES: lambda: _among(QueryEndpoint, services.query_endpoint(service_id)),
        SCHEDULE: lambda: schedule_as_said(
            served.get(SCHEDULE) or services.scaling_schedule(service_id), said[SCHEDULE]
        ),
        WINDOW: lambda: services.upgrade_window(service_id),
        VALUES: lambda: services.settings(service_id),
        BUCKET: lambda: services.backup_bucket(service_id),
    }
    for name, read in reads.items():
        if name not in said:
            continue
        try:
            served[name] = read()
        except NotFoundError:
            served[name] = None
        except UnsupportedOperationError:
            session.warn(f"This server offers no way to read {name} of a service; what state holds of it is kept.")
            served.pop(name, None)
    whole = parse(Service, served)
    whole.keep_answer(record.answer)
    return whole


def found_settings(session: Session, service_id: str, record: Service) -> WireDict:
    """Return, by wire name, the settings of a service that no program has managed so far; each costs a request.

    Left out are settings that the server has of itself, that it does not offer, and, with a warning, that it does not
    tell this key.
    """
    services = session.api.of(Services)
    if not services.keep_settings:
        return {}
    reads: dict[str, Callable[[], WireDict | None]] = {
        BACKUPS: lambda: _unusual_backups(services.backup_configuration(service_id)),
        QUERIES: lambda: _said(QueryEndpoint, services.query_endpoint(service_id)),
        WINDOW: lambda: _said(UpgradeWindow, services.upgrade_window(service_id)),
        VALUES: lambda: services.settings(service_id) or None,
        BUCKET: lambda: _said(BackupBucket, services.backup_bucket(service_id)),
    }
    if record.is_primary is False:  # backups and window are those of the first service of the warehouse
        for name in (BACKUPS, WINDOW, BUCKET):
            del reads[name]
    found = {name: _found(session, f"{name} of service {record.name!r} ({service_id})", reads[name]) for name in reads}
    return {name: value for name, value in found.items() if value is not None}


def _found(session: Session, what: str, read: Callable[[], WireDict | None]) -> WireDict | None:
    try:
        return read()
    except (NotFoundError, UnsupportedOperationError):
        return None
    except (ClientError, UnauthorizedError) as error:
        session.warn(f"{what} could not be read, and is left as it is: {error.status} {error.message}")
        return None


def _unusual_backups(served: WireValues) -> WireDict | None:
    """Return a backup configuration that somebody has set, as a program says it."""
    said = _said(BackupConfiguration, served)
    return None if {**USUAL_BACKUPS, **said} == USUAL_BACKUPS else said


def _said(model: type[Part], served: WireValues) -> WireDict:
    """Return what a program says of what a server answers: without what is empty."""
    return {name: value for name, value in _among(model, served).items() if value not in (None, "", [])}


def schedule_as_said(served: WireValues, said: WireValues) -> WireDict | None:
    """Return the schedule of a server in the words of a request: with a number of replicas unless a band is said.

    Without entries there is none.
    """
    entries = [entry for entry in served.get(_ENTRIES) or () if isinstance(entry, Mapping)]
    told = said.get(_ENTRIES) or []
    asked = [_entry(entry, told[index] if index < len(told) else {}) for index, entry in enumerate(entries)]
    return {_ENTRIES: asked} if asked else None


def _entry(served: WireValues, said: WireValues) -> WireDict:
    entry = {name: value for name, value in _among(ScheduledScaling, served).items() if value is not None}
    count = entry.get(_LEAST)
    if count is not None and count == entry.get(_MOST) and _LEAST not in said:
        del entry[_LEAST], entry[_MOST]
        entry[_COUNT] = count
    return entry


def _among(model: type[Part], served: WireValues) -> WireDict:
    """Return what a request can say of what a server answers."""
    return {name: served[name] for name in wire_names(body_of(model)) if name in served}


def _gone(delete: Callable[[], None]) -> None:
    with suppress(NotFoundError):  # somebody else has deleted it
        delete()


def reset_password(session: Session, service_id: str, wanted: Service, *reason: str) -> str | None:
    """Give the service a password that is known here; not in a shared warehouse, whose other clients it could lock out.

    Args:
        session: What to work with.
        service_id: Which service.
        wanted: What the program says of it.
        reason: Why it gets another one: each reason leads to a password of its own, and to the same one again.

    Raises:
        ApiError: The server refused, or each response was lost.
        ResourceError: The response holds no password.
        CancelledError: The operation was cancelled.
    """
    if wanted.data_warehouse_id and not reason:
        session.warn(
            f"Service {wanted.name!r} shares a warehouse; its first password was lost with the response "
            "and is not reset, as that could lock out the clients of the warehouse's other services."
        )
        return None
    services = session.api.of(Services)
    own = services.own_password(service_id, *reason)
    for attempts_left in reversed(range(RESETS)):
        try:
            password = services.reset_password(service_id, own)
            break
        except AmbiguousError:
            if not attempts_left:
                raise
            # A reset that is carried out late would take the place of the next one, unless both set the same.
            session.sleep(0.0 if own else latest_commit_seconds(session.config))
    if password is None:
        raise ResourceError(f"the password of service {service_id} was reset, but not answered", "Run again.")
    return password
