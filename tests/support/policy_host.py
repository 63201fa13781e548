"""A gRPC client of the real policy host, with plain dicts as values.

The process is the one that the engine starts for a pack folder; nothing in it is replaced. `UNKNOWN` represents unknown
values, `Secret` secret ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from clouddb_tools.testing.fake_engine.process import ChildProcess
from pulumi_clouddb.engine.wire.codec import Properties, from_struct, to_struct
from pulumi_clouddb.engine.wire.server import OPTIONS

from .grpc_driver import HostError

NO_ENGINE = "127.0.0.1:0"
"""The engine's address, which the host requires but never uses."""


@dataclass(frozen=True)
class Resource:
    """A resource as the engine sends it to policies.

    Attributes:
        type: Its token.
        name: Its name in the program.
        props: Its inputs, or in a stack its outputs.
        stack: The stack it is in.
        needs: The names of the resources that each property depends on.
        protect: Pulumi's option `protect`.
        ignore_changes: Pulumi's option `ignoreChanges`.
        parent_type: The token of its parent, which is part of its URN; empty without a parent.
        provider: The properties of its explicit provider; None without one.
    """

    type: str
    name: str
    props: Mapping[str, Any]
    stack: str = "dev"
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    protect: bool = False
    ignore_changes: tuple[str, ...] = ()
    parent_type: str = ""
    provider: Mapping[str, Any] | None = None

    @property
    def urn(self) -> str:
        """The resource's URN."""
        parent = f"{self.parent_type}$" if self.parent_type else ""
        return f"urn:pulumi:{self.stack}::shop::{parent}{self.type}::{self.name}"


@dataclass(frozen=True)
class Violation:
    """A violation that a policy reports."""

    policy: str
    message: str
    level: str
    severity: str
    urn: str


def configure(analyzer: Any, *remediating: str) -> None:
    """Give policies the level `remediate` in a server of this process."""
    config = {name: analyzer_pb2.PolicyConfig(enforcementLevel=analyzer_pb2.REMEDIATE) for name in remediating}
    analyzer.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config), None)


class PolicyHost:
    """One process of the policy host with one pack; use it as a context manager.

    Args:
        pack: The pack's folder.
        env: Additional environment variables.
        engine: The engine's address.
    """

    def __init__(self, pack: Path, env: Mapping[str, str] | None = None, engine: str = NO_ENGINE) -> None:
        self.lines: list[str] = []
        command = [sys.executable, "-u", "-m", "pulumi.policy", engine, str(pack)]
        self._process = ChildProcess(command, cwd=pack, env=dict(env or {}), on_line=self.lines.append)
        port = self._process.first_line()
        self._process.forward_output()
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", options=OPTIONS)
        self.stub = analyzer_pb2_grpc.AnalyzerStub(self._channel)

    def __enter__(self) -> PolicyHost:
        """Return the running host."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self._channel.close()
        self._process.stop(gently=False)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def info(self) -> Any:
        """Return the host's description of its pack."""
        return self._call(self.stub.GetAnalyzerInfo, empty_pb2.Empty())

    def configure(self, levels: Mapping[str, str], settings: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        """Set the level and the settings of policies, as the engine does from `--policy-pack-config`."""
        config = {
            name: analyzer_pb2.PolicyConfig(
                enforcementLevel=analyzer_pb2.EnforcementLevel.Value(level.upper()),
                properties=to_struct(dict((settings or {}).get(name, {})), secrets=False),
            )
            for name, level in levels.items()
        }
        self._call(self.stub.Configure, analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config))

    def configure_stack(
        self,
        stack: str = "dev",
        config: Mapping[str, str] | None = None,
        secret_keys: Iterable[str] = (),
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """Send the properties of the stack, as the engine does once."""
        request = analyzer_pb2.AnalyzerStackConfigureRequest(
            stack=stack, project="shop", config=config or {}, config_secret_keys=list(secret_keys), tags=tags or {}
        )
        self._call(self.stub.ConfigureStack, request)

    def analyze(self, resource: Resource) -> list[Violation]:
        """Return the violations of one resource's inputs; the engine omits internal inputs."""
        return _violations(self._call(self.stub.Analyze, analyzer_request(resource)))

    def analyze_stack(self, resources: Iterable[Resource]) -> list[Violation]:
        """Return the violations of a stack's outputs."""
        return _violations(self._call(self.stub.AnalyzeStack, stack_request(resources)))

    def remediate(self, resource: Resource) -> tuple[Properties, list[str]]:
        """Remediate one resource; return its changed inputs, and the names of the policies that changed them."""
        response = self._call(self.stub.Remediate, analyzer_request(resource, internal=True))
        props = dict(resource.props)
        for each in response.remediations:
            assert not each.diagnostic, each.diagnostic
            props = from_struct(each.properties)
        return props, [each.policyName for each in response.remediations]

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, timeout=60)
        except grpc.RpcError as error:
            raise HostError(str(error.details() if isinstance(error, grpc.Call) else error)) from None


def _options(resource: Resource) -> Any:
    return analyzer_pb2.AnalyzerResourceOptions(protect=resource.protect, ignoreChanges=resource.ignore_changes)


def analyzer_request(resource: Resource, internal: bool = False) -> Any:
    """Return the engine's request for one resource; only requests for remediations contain internal inputs."""
    props = {name: value for name, value in resource.props.items() if internal or not name.startswith("__")}
    return analyzer_pb2.AnalyzeRequest(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=to_struct(props, secrets=True),
        options=_options(resource),
    )


def stack_request(resources: Iterable[Resource]) -> Any:
    """Return the engine's request for a stack."""
    known = {each.name: each.urn for each in resources}
    return analyzer_pb2.AnalyzeStackRequest(resources=[_placed(each, known) for each in resources])


def _placed(resource: Resource, known: Mapping[str, str]) -> Any:
    provider = resource.provider
    return analyzer_pb2.AnalyzerResource(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=to_struct(dict(resource.props), secrets=True),
        options=_options(resource),
        provider=None
        if provider is None
        else analyzer_pb2.AnalyzerProviderResource(properties=to_struct(dict(provider), secrets=True)),
        dependencies=sorted({known[name] for names in resource.needs.values() for name in names}),
        propertyDependencies={
            prop: analyzer_pb2.AnalyzerPropertyDependencies(urns=[known[name] for name in names])
            for prop, names in resource.needs.items()
        },
    )


def _violations(response: Any) -> list[Violation]:
    return [
        Violation(
            each.policyName,
            each.message,
            analyzer_pb2.EnforcementLevel.Name(each.enforcementLevel).lower(),
            analyzer_pb2.PolicySeverity.Name(each.severity).removeprefix("POLICY_SEVERITY_").lower(),
            each.urn,
        )
        for each in response.diagnostics
    ]
