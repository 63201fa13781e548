"""How methods become RPCs: errors become messages, and an object that exists but is not ready is reported as such."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, Protocol, TypeVar

import grpc
from google.protobuf import struct_pb2

from pulumi_clouddb.client.errors import two_lines
from pulumi_clouddb.engine.wire.cancellation import Cancellation
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.engine.wire.proto import provider_pb2, status_pb2
from pulumi_clouddb.engine.wire.side_channels import send_secrets
from pulumi_clouddb.schema.secrets.redaction import redact, secret_scope


class Servicer(Protocol):
    """A servicer with RPCs.

    Attributes:
        waits: The operations of its process.
    """

    waits: Cancellation


ServicerT = TypeVar("ServicerT", bound=Servicer)
Request = TypeVar("Request")
Response = TypeVar("Response")

DIFF_NONE, DIFF_SOME = provider_pb2.DiffResponse.DIFF_NONE, provider_pb2.DiffResponse.DIFF_SOME

DETAILS = "grpc-status-details-bin"
"""The trailing metadata in which gRPC carries the details of a status."""


class InitFailedError(Exception):
    """The object exists but is not ready: the engine keeps it in state, and the next run updates it.

    Args:
        object_id: The id of the object.
        outputs: Its state.
        inputs: The inputs of the program.
        reason: Why it is not ready.
    """

    def __init__(self, object_id: str, outputs: struct_pb2.Struct, inputs: struct_pb2.Struct, reason: str) -> None:
        super().__init__(reason)
        self.detail = provider_pb2.ErrorResourceInitFailed(
            id=object_id, properties=outputs, reasons=[reason], inputs=inputs
        )


def check_failures(failures: Iterable[object]) -> list[provider_pb2.CheckFailure]:
    """Write failures to the wire without their property: the engine would print its value, even a secret."""
    return [provider_pb2.CheckFailure(reason=redact(str(each), own_words=True)) for each in failures]


def rpc(
    method: Callable[[ServicerT, Request], Response],
) -> Callable[[ServicerT, Request, grpc.ServicerContext], Response]:
    """Make an RPC of `method`: Cancel ends its waits, and its errors become messages.

    `decode` hides the secrets of the request from these messages.
    """

    @functools.wraps(method)
    def wrapper(self: ServicerT, request: Request, context: grpc.ServicerContext) -> Response:
        with secret_scope():
            try:
                with self.waits.operation(getattr(request, "timeout", 0.0), getattr(request, "urn", "")):
                    return method(self, request)
            except InitFailedError as failed:
                text, detail = redact(two_lines(str(failed))), failed.detail
            except Exception as error:  # noqa: BLE001 (every error becomes a response)
                text, detail = message(error), None
            finally:
                send_secrets()
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
