"""A plugin that does nothing and returns its inputs. Run as a script, it loads only what it needs."""

# ruff: noqa: N802, D102
from __future__ import annotations

import signal
import uuid
from concurrent import futures
from typing import Any

import grpc
from google.protobuf import empty_pb2

from pulumi_clouddb.engine.wire.proto import plugin_pb2, provider_pb2, provider_pb2_grpc


class Nothing(provider_pb2_grpc.ResourceProviderServicer):
    """Returns its arguments."""

    def Handshake(self, _: Any, __: Any) -> provider_pb2.ProviderHandshakeResponse:
        return provider_pb2.ProviderHandshakeResponse(accept_secrets=True)

    def GetPluginInfo(self, _: Any, __: Any) -> plugin_pb2.PluginInfo:
        return plugin_pb2.PluginInfo(version="0.1.0")

    def CheckConfig(self, request: provider_pb2.CheckRequest, _: Any) -> provider_pb2.CheckResponse:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, _: provider_pb2.DiffRequest, __: Any) -> provider_pb2.DiffResponse:
        return provider_pb2.DiffResponse()

    def Configure(self, _: provider_pb2.ConfigureRequest, __: Any) -> provider_pb2.ConfigureResponse:
        return provider_pb2.ConfigureResponse(acceptSecrets=True, supportsPreview=True)

    def Check(self, request: provider_pb2.CheckRequest, _: Any) -> provider_pb2.CheckResponse:
        return provider_pb2.CheckResponse(inputs=request.news)

    def Diff(self, _: provider_pb2.DiffRequest, __: Any) -> provider_pb2.DiffResponse:
        return provider_pb2.DiffResponse()  # the engine compares

    def Create(self, request: provider_pb2.CreateRequest, _: Any) -> provider_pb2.CreateResponse:
        return provider_pb2.CreateResponse(id=uuid.uuid4().hex, properties=request.properties)

    def Read(self, request: provider_pb2.ReadRequest, _: Any) -> provider_pb2.ReadResponse:
        return provider_pb2.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    def Update(self, request: provider_pb2.UpdateRequest, _: Any) -> provider_pb2.UpdateResponse:
        return provider_pb2.UpdateResponse(properties=request.news)

    def Delete(self, _: provider_pb2.DeleteRequest, __: Any) -> empty_pb2.Empty:
        return empty_pb2.Empty()

    def Cancel(self, _: Any, __: Any) -> empty_pb2.Empty:
        return empty_pb2.Empty()


if __name__ == "__main__":
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=128))
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Nothing(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    signal.sigwait([signal.SIGINT, signal.SIGTERM])
