"""Functions: they read through the same client and never write."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pulumi_clouddb.client import collection as api
from pulumi_clouddb.client.collection import Api
from pulumi_clouddb.client.errors import ListNotFoundError, NotFoundError, ResourceError
from pulumi_clouddb.create.session import Session
from pulumi_clouddb.schema.base import Model, Record, wire_names
from pulumi_clouddb.schema.check import failures_of
from pulumi_clouddb.schema.convert import construct, to_wire
from pulumi_clouddb.schema.names import ID, NAME
from pulumi_clouddb.schema.operation_secrets import MASK
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.schema.values import WireValues

from .state import Flat

ArgumentsT = TypeVar("ArgumentsT", bound=Model)
RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class Function(Generic[ArgumentsT]):
    """One function.

    Attributes:
        type: What it takes and returns.
        read: Returns the result by wire name.
    """

    type: FunctionType[ArgumentsT]
    read: Callable[[Api, ArgumentsT], WireValues]

    def call(self, session: Session, arguments: WireValues, secret: Collection[str] = ()) -> Flat:
        """Check the arguments and return the result, both by wire name.

        Args:
            session: What to work with.
            arguments: What the function is given.
            secret: Wire names of the arguments that no failure may quote.

        Raises:
            ResourceError: Arguments are wrong, or the object does not exist.
            ApiError: It could not be read.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        failures = failures_of(self.type.inputs, given, secret=secret)
        if failures:
            raise ResourceError("; ".join(f"{self.type.name}: {failure}" for failure in failures))
        try:
            return dict(self.read(session.api, construct(self.type.inputs, given)))
        except (NotFoundError, ListNotFoundError) as error:
            if not given:  # nothing was named that could be missing
                raise
            what = ", ".join(f"{name} {MASK if name in secret else value}" for name, value in given.items())
            raise ResourceError(
                f"{self.type.name}: there is no such object ({what}): {error.message}",
                f"Take {' and '.join(given)} from an output of a resource, or from the console.",
            ) from None


def listing(
    function: FunctionType[Any],
    objects: api.Collection[RecordT],
    name: str | None = None,
    shown: Callable[[RecordT], WireValues] = to_wire,
) -> Flat:
    """Return the records of a collection, or those of a name or an id, in the one property of a function's result."""
    (listed,) = wire_names(function.result)
    records = objects.list()
    if name is not None:
        records = [each for each in records if name in (each.answer.get(NAME), each.answer.get(ID))]
    return {listed: [shown(each) for each in records]}
