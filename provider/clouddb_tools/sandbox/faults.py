"""Faults: simulated failures of selected requests, limited by number or by time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any, TypeVar

from pulumi_clouddb.client.operation import Operation
from pulumi_clouddb.registry import OPERATIONS, RESOURCES
from pulumi_clouddb.schema.names import did_you_mean
from pulumi_clouddb.schema.provisioned import Provisioned

from .log import has_fields
from .settings import checked_seconds

ANY = "*"


class FaultKind(str, Enum):
    """Kinds of faults. Kinds before `LOSE` prevent the request; `LOSE` and later ones spoil the response."""

    DELAY = "delay"
    """The response is `wait` seconds late; combines with any other fault."""
    LAG = "lag"
    """A list omits objects younger than `wait` seconds; combines with any other fault."""
    REFUSE = "refuse"
    """The connection is reset, and the request is not carried out."""
    HANG = "hang"
    """Nothing is sent until the client closes the connection, and the request is not carried out."""
    STATUS = "status"
    """An error is sent. Details: `status`, `text`, `form` (`json`, `text` or `html`)."""
    RATE_LIMIT = "rate_limit"
    """429 is sent. Detail: `reset`, the seconds until a retry is allowed; null for no header."""
    HTML = "html"
    """A page is sent. Detail: `status`: 404 is the page of an unknown route, others are those of a gateway."""
    NOT_FOUND = "not_found"
    """404 is sent in the API's own form."""
    REDIRECT = "redirect"
    """A redirect is sent. Details: `status` (307), `location`."""
    COMMIT_LATE = "commit_late"
    """The connection is reset, or `status` is sent; the request is carried out `wait` seconds later."""
    LOSE = "lose"
    """The request is carried out, and the connection is reset."""
    COMMIT_THEN_STATUS = "commit_then_status"
    """The request is carried out, and an error is sent. Details: `status`, `text`, `form`."""
    COMMIT_THEN_HANG = "commit_then_hang"
    """The request is carried out, and nothing is sent until the client closes the connection."""
    EMPTY = "empty"
    """The request is carried out, and 200 is sent with an empty body."""
    BROKEN_JSON = "broken_json"
    """The request is carried out, and the first half of the JSON is sent as a complete body."""
    TRUNCATED = "truncated"
    """The request is carried out, and the connection closes in the middle of the body."""
    HUGE = "huge"
    """The request is carried out, and the body is padded with blanks to `size` bytes (50 MB)."""
    DRIP = "drip"
    """The request is carried out, and the body is sent byte by byte every `wait` s; with `headers`, these too."""
    MALFORMED = "malformed"
    """The request is carried out, and JSON is sent without the object in it."""
    NULL_RESULT = "null_result"
    """The request is carried out, and JSON is sent with null instead of the object."""
    WRONG_TYPES = "wrong_types"
    """The request is carried out, and all values of the object are sent with another JSON type."""
    NO_ID = "no_id"
    """The request is carried out, and the object is sent without its id."""
    NULL_ID = "null_id"
    """The request is carried out, and the object is sent with a null id."""
    FAILED = "failed"
    """The created object ends in a failed state: a service in `failed`, a function in `error`."""

    def applies_to(self, operation: Operation) -> bool:
        """Return whether this fault has an effect on the operation."""
        if self is FaultKind.FAILED:
            return operation.name in FAILING
        if self is FaultKind.LAG:
            return operation.lists
        if self is FaultKind.COMMIT_LATE:
            return operation.writes
        if self in (FaultKind.NO_ID, FaultKind.NULL_ID):
            return operation.record not in ("None", "Password")
        return self not in (FaultKind.MALFORMED, FaultKind.WRONG_TYPES) or operation.record != "None"


_WITHOUT_FAILURE = ("create_byoc_infrastructure",)
"""Creates whose objects have no failed state in the vendor's description."""

FAILING = (
    *(
        create
        for resource in RESOURCES.values()
        if issubclass(resource.type.thing, Provisioned)
        and (create := resource.collection.CREATE.managed.name) not in _WITHOUT_FAILURE
    ),
    "publish_user_defined_function",
)
"""Creates whose objects can fail later."""


class Form(str, Enum):
    """Form of an error's body."""

    JSON = "json"
    TEXT = "text"
    HTML = "html"


BEFORE = (
    FaultKind.REFUSE,
    FaultKind.HANG,
    FaultKind.STATUS,
    FaultKind.RATE_LIMIT,
    FaultKind.HTML,
    FaultKind.NOT_FOUND,
    FaultKind.REDIRECT,
    FaultKind.COMMIT_LATE,
)
"""Faults that prevent the request, at least for now."""
OF_RESULT = (
    FaultKind.MALFORMED,
    FaultKind.NULL_RESULT,
    FaultKind.WRONG_TYPES,
    FaultKind.NO_ID,
    FaultKind.NULL_ID,
)
"""Faults of the object in a response; a refusal has no object."""
AFTER = (
    FaultKind.LOSE,
    FaultKind.COMMIT_THEN_STATUS,
    FaultKind.COMMIT_THEN_HANG,
    FaultKind.EMPTY,
    FaultKind.BROKEN_JSON,
    FaultKind.TRUNCATED,
    FaultKind.HUGE,
    FaultKind.DRIP,
    *OF_RESULT,
)
"""Faults of the response to a request that was carried out."""

_ERROR = ("status", "text", "form")
_DETAILS: Mapping[FaultKind, tuple[str, ...]] = {
    FaultKind.DELAY: ("wait",),
    FaultKind.LAG: ("wait",),
    FaultKind.STATUS: _ERROR,
    FaultKind.RATE_LIMIT: ("reset",),
    FaultKind.HTML: ("status",),
    FaultKind.REDIRECT: ("status", "location"),
    FaultKind.COMMIT_LATE: ("wait", *_ERROR),
    FaultKind.COMMIT_THEN_STATUS: _ERROR,
    FaultKind.HUGE: ("size",),
    FaultKind.DRIP: ("wait", "headers"),
}
"""The details of each kind; `wait` is required where it occurs."""
_OF_ALL = ("operation", "kind", "times", "until", "after", "match")
_STATUSES: Mapping[FaultKind, Collection[int]] = {FaultKind.REDIRECT: (301, 302, 303, 307, 308)}
_ANY_STATUS = range(200, 600)


def check_operation(name: object) -> None:
    """Raise ValueError if no operation has this name."""
    if name not in OPERATIONS:
        near = did_you_mean(str(name), OPERATIONS, 3)
        known = f"; known operations are {', '.join(OPERATIONS)} and {ANY}"
        raise ValueError(f"no operation is named {name!r}{near or known}")


@dataclass
class Fault:
    """One pending fault.

    Attributes:
        operation: Name of the operation, or `*` for all to which the kind applies.
        kind: The kind of fault.
        times: Remaining number of occurrences; None for no limit.
        until: End in seconds since 1970; None for no end.
        after: Number of matching requests that pass before the fault occurs.
        match: Fields of the JSON body, or parameters of the path, that must be equal.
        wait: Seconds to wait, for the kinds that do.
        status: HTTP status, for the kinds that send an error.
        text: Text of the error, for the same kinds.
        form: Form of the error's body, for the same kinds.
        reset: Seconds until a retry is allowed, for `rate_limit`; None for no header.
        location: Target, for `redirect`; by default port 9 of another loopback address.
        size: Bytes of the body, for `huge`.
        headers: Whether the status line and the headers are sent byte by byte too, for `drip`.
    """

    operation: str
    kind: FaultKind
    times: int | None = 1
    until: float | None = None
    after: int = 0
    match: dict[str, Any] | None = None
    wait: float = 0.0
    status: int | None = None
    text: str = "a fault of the sandbox"
    form: Form = Form.JSON
    reset: float | None = 1.0
    location: str | None = None
    size: int = 50_000_000
    headers: bool = False

    def __post_init__(self) -> None:
        self.kind, self.form = kind_of(self.kind), _member(Form, "form of an error", self.form)
        self._check_types()
        if self.operation != ANY:
            self._check_operation()
        known = (*_OF_ALL, *_DETAILS.get(self.kind, ()))
        for field in fields(self):
            if field.name not in known and getattr(self, field.name) != field.default:
                raise ValueError(f"{self.kind.value} has no detail {field.name!r}")
        if "wait" in known and self.wait <= 0:
            raise ValueError(f"{self.kind.value} needs `wait`, the seconds to wait")
        if self.status is not None and self.status not in _STATUSES.get(self.kind, _ANY_STATUS):
            raise ValueError(f"{self.kind.value} cannot send the status {self.status}")
        if not isinstance(self.match, (dict, type(None))):
            raise ValueError("match must be an object with the fields that must be equal")

    def _check_types(self) -> None:
        """Refuse values that would cause an error only when the fault occurs."""
        times = 1 if self.times is None else self.times
        for name, number, least in (("times", times, 1), ("after", self.after, 0), ("size", self.size, 0)):
            if type(number) is not int or number < least:
                raise ValueError(f"{name} must be a whole number from {least}, not {number!r}")
        for name, value in (("wait", self.wait), ("reset", self.reset), ("until", self.until)):
            if value is not None or name == "wait":
                checked_seconds(name, value)
        location = self.location or ""
        for name, text in (("text", self.text), ("location", location)):
            if not isinstance(text, str):
                raise ValueError(f"{name} must be text, not {text!r}")
        if not location.isprintable() or not location.isascii():
            raise ValueError(f"location must be printable ASCII, not {self.location!r}")
        if not isinstance(self.headers, bool):
            raise ValueError(f"headers must be true or false, not {self.headers!r}")

    def _check_operation(self) -> None:
        check_operation(self.operation)
        if self.kind is FaultKind.FAILED and self.operation not in FAILING:
            raise ValueError(f"failed applies to creates only: use {' or '.join(FAILING)}")
        if not self.kind.applies_to(OPERATIONS[self.operation]):
            able = [name for name, operation in OPERATIONS.items() if self.kind.applies_to(operation)]
            raise ValueError(f"{self.kind.value} does not apply to {self.operation}; use {', '.join(able)} or *")

    def matches(self, operation: str, fields: dict[str, Any]) -> bool:
        """Return whether the fault applies to a request with these path parameters and fields of its body."""
        if self.operation != operation and not (self.operation == ANY and self.kind.applies_to(OPERATIONS[operation])):
            return False
        return not self.match or has_fields(fields, self.match)


def kind_of(given: str) -> FaultKind:
    """Return the kind of fault with this name.

    Raises:
        ValueError: The name is unknown; the error lists similar names, and all names.
    """
    return _member(FaultKind, "kind of fault", given)


EnumT = TypeVar("EnumT", bound=Enum)


def _member(enum: type[EnumT], what: str, given: Any) -> EnumT:
    for member in enum:
        if given in (member, member.value):
            return member
    names = [str(member.value) for member in enum]
    raise ValueError(f"{given!r} is not a {what}{_nearest(given, names)}")


def _nearest(given: Any, known: Sequence[str]) -> str:
    """Return the end of an error: similar names, and all names."""
    return f"{did_you_mean(str(given), known, 3) or '.'} Known are {', '.join(known)}"


def fault_from(fields_: Mapping[str, Any], now: float) -> Fault:
    """Return the fault that a JSON object describes; `seconds` is its duration, instead of `until`.

    Raises:
        ValueError: The object is malformed.
    """
    known = [field.name for field in fields(Fault)]
    for name in fields_:
        if name not in (*known, "seconds"):
            raise ValueError(f"{name!r} is not a field of a fault{_nearest(name, [*known, 'seconds'])}")
    for name in ("operation", "kind"):
        if not isinstance(fields_.get(name), str):
            raise ValueError(f"a fault needs its {name}, as text: " + '{"operation": "create_service", "kind": "lose"}')
    given = dict(fields_)
    seconds = given.pop("seconds", None)
    if seconds is not None:
        # A duration replaces the default of one occurrence.
        given = {"times": None, **given, "until": now + checked_seconds("seconds", seconds, above_zero=True)}
    return Fault(**given)


class Faults:
    """All pending faults, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, fault: Fault) -> None:
        """Add a fault."""
        self._waiting.append(fault)

    def remove(self, described: dict[str, Any]) -> bool:
        """Remove the oldest fault with this description; return whether there is one."""
        for index, fault in enumerate(self._waiting):
            if asdict(fault) == described:
                del self._waiting[index]
                return True
        return False

    def clear(self) -> None:
        """Remove all faults."""
        self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        """Return all pending faults as JSON objects."""
        return [asdict(fault) for fault in self._waiting]

    def due(self, operation: str, kinds: Collection[FaultKind], now: float, fields: dict[str, Any]) -> Fault | None:
        """Return the oldest fault of these kinds that applies to a request, and count the request for the others.

        The fault stays pending until `spend`.
        """
        self._waiting = [fault for fault in self._waiting if fault.until is None or fault.until > now]
        due = None
        for fault in self._waiting:
            if fault.kind not in kinds or not fault.matches(operation, fields):
                continue
            if fault.after > 0:
                fault.after -= 1
            else:
                due = due or fault
        return due

    def spend(self, fault: Fault) -> bool:
        """Count an occurrence of the fault; return whether it is still pending."""
        if not any(fault is waiting for waiting in self._waiting):
            return False
        if fault.times is not None:
            fault.times -= 1
            if fault.times <= 0:
                self._waiting = [waiting for waiting in self._waiting if waiting is not fault]
        return True

    def consume(self, operation: str, kinds: Collection[FaultKind], now: float, fields: dict[str, Any]) -> Fault | None:
        """Return the oldest fault of these kinds that applies to a request, and count its occurrence."""
        fault = self.due(operation, kinds, now, fields)
        return fault if fault and self.spend(fault) else None
