"""How calls end: with an answer, with an error for a person, or with an object that exists and is not ready."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, TypeVar

import grpc
from google.protobuf import struct_pb2
from pulumi.runtime.proto import provider_pb2, status_pb2

from pulumi_clouddb.client.errors import two_lines
from pulumi_clouddb.engine.wire import told_secrets
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.schema import operation_secrets
from pulumi_clouddb.schema.redaction import redact


class Servicer(Protocol):
    """What calls end of the servicer that answers them.

    Attributes:
        waits: The operations of its process.
    """

    waits: Cancellation


ServicerT = TypeVar("ServicerT", bound=Servicer)
Request = TypeVar("Request")
Answer = TypeVar("Answer")
Method = Callable[[ServicerT, Request], Answer]
Rpc = Callable[[ServicerT, Request, grpc.ServicerContext], Answer]

DIFF_NONE, DIFF_SOME = provider_pb2.DiffResponse.DIFF_NONE, provider_pb2.DiffResponse.DIFF_SOME

DETAILS = "grpc-status-details-bin"
"""Where gRPC carries the details of a status."""


class InitFailedError(Exception):
    """The object exists, but is not what it should be: it goes into state, and the next run goes on from there.

    Args:
        object_id: The id of the object.
        outputs: Its state.
        inputs: What was asked for.
        reason: What is missing, in words.
    """

    def __init__(self, object_id: str, outputs: struct_pb2.Struct, inputs: struct_pb2.Struct, reason: str) -> None:
        super().__init__(reason)
        self.detail = provider_pb2.ErrorResourceInitFailed(
            id=object_id, properties=outputs, reasons=[reason], inputs=inputs
        )


def told(failures: Iterable[object]) -> list[provider_pb2.CheckFailure]:
    """Write failures to the wire, without properties: the engine would print what the program gave, secret or not."""
    return [provider_pb2.CheckFailure(reason=redact(str(each))) for each in failures]


def rpc(method: Method[ServicerT, Request, Answer]) -> Rpc[ServicerT, Request, Answer]:
    """Make an RPC of `method`: its waits can be ended, and its errors are messages for a person.

    No message shows a secret of the request: `decode` hides those it finds.
    """

    @functools.wraps(method)
    def wrapper(self: ServicerT, request: Request, context: grpc.ServicerContext) -> Answer:
        with operation_secrets.scope():
            try:
                with self.waits.operation(getattr(request, "timeout", 0.0), getattr(request, "urn", "")):
                    return method(self, request)
            except InitFailedError as failed:
                text, detail = redact(two_lines(str(failed))), failed.detail
            except Exception as error:  # noqa: BLE001 (every error becomes an answer)
                text, detail = message(error), None
            finally:
                told_secrets.tell()
        _abort(context, text, detail)

    return wrapper


def _abort(context: grpc.ServicerContext, text: str, detail: provider_pb2.ErrorResourceInitFailed | None) -> NoReturn:
    if detail is not None:
        number: Any = grpc.StatusCode.UNKNOWN.value
        status = status_pb2.Status(code=number[0], message=text)
        status.details.add().Pack(detail)
        context.set_trailing_metadata(((DETAILS, status.SerializeToString()),))
    context.abort(grpc.StatusCode.UNKNOWN, text)
    raise AssertionError(text)  # abort never returns
