"""Conversion between the messages of the engine and the objects of pulumi-policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf import struct_pb2
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyCustomTimeouts,
    PolicyProviderResource,
    PolicyResource,
    PolicyResourceOptions,
    Severity,
    StackValidationPolicy,
)

from pulumi_clouddb.engine.wire.codec import UNKNOWN_TEXT, json_of

from .upstream import deserialize_properties, serialize_properties, unknown_checking_proxy

WIRE_LEVEL = {level: analyzer_pb2.EnforcementLevel.Value(level.name) for level in EnforcementLevel}
"""The number of each level on the wire."""

LEVEL_OF = {number: level for level, number in WIRE_LEVEL.items()}
"""The level of each number."""


def severity_of(policy: Policy) -> Any:
    """Return the severity of a policy as its number on the wire."""
    name = "UNSPECIFIED" if policy.severity is None else Severity(policy.severity).name
    return analyzer_pb2.PolicySeverity.Value(f"POLICY_SEVERITY_{name}")


def policy_info(policy: Policy) -> Any:
    """Return the description of a policy for the engine."""
    stack = isinstance(policy, StackValidationPolicy)
    info = analyzer_pb2.PolicyInfo(
        name=policy.name,
        displayName=policy.display_name or "",
        description=policy.description,
        enforcementLevel=WIRE_LEVEL[policy.enforcement_level or EnforcementLevel.ADVISORY],
        policy_type=analyzer_pb2.POLICY_TYPE_STACK if stack else analyzer_pb2.POLICY_TYPE_RESOURCE,
        severity=severity_of(policy),
        tags=policy.tags or [],
        remediation_steps=policy.remediation_steps or "",
        url=policy.url or "",
    )
    if policy.config_schema is not None:
        info.configSchema.properties.update(policy.config_schema.properties)
        info.configSchema.required.extend(policy.config_schema.required or [])
    if policy.framework is not None:
        for name in ("name", "version", "reference", "specification"):
            setattr(info.framework, name, getattr(policy.framework, name) or "")
    return info


def options_of(options: Any) -> PolicyResourceOptions:
    """Return the options of a resource."""
    return PolicyResourceOptions(
        options.protect,
        list(options.ignoreChanges),
        options.deleteBeforeReplace if options.deleteBeforeReplaceDefined else None,
        list(options.aliases),
        PolicyCustomTimeouts(
            options.customTimeouts.create, options.customTimeouts.update, options.customTimeouts.delete
        ),
        list(options.additionalSecretOutputs),
        options.parent or None,
    )


def provider_of(request: Any) -> PolicyProviderResource | None:
    """Return the provider of a resource, if the engine sends one."""
    if not request.HasField("provider"):
        return None
    props = decoded(request.provider.properties)
    return PolicyProviderResource(request.provider.type, props, request.provider.urn, request.provider.name)


def stack_resources(resources: Sequence[Any]) -> list[PolicyResource]:
    """Return the resources of a stack, with parents and dependencies."""
    by_urn = {
        each.urn: PolicyResource(
            each.type,
            decoded(each.properties),
            each.urn,
            each.name,
            options_of(each.options),
            provider_of(each),
            None,
            [],
            {},
        )
        for each in resources
    }
    for each in resources:
        resource = by_urn[each.urn]
        resource.parent = by_urn.get(each.parent)
        resource.dependencies = [by_urn[urn] for urn in each.dependencies if urn in by_urn]
        resource.property_dependencies = {
            name: [by_urn[urn] for urn in dependencies.urns if urn in by_urn]
            for name, dependencies in each.propertyDependencies.items()
        }
    return list(by_urn.values())


def decoded(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Return properties without marks of secrets; reading an unknown one raises UnknownValueError."""
    props: dict[str, Any] = unknown_checking_proxy(deserialize_properties(readable(struct)))
    return props


def readable(struct: struct_pb2.Struct) -> dict[str, Any]:
    """Return properties as JSON; one that pulumi-policy cannot read is unknown."""
    return {name: value if is_readable(value) else UNKNOWN_TEXT for name, value in json_of(struct).items()}


def is_readable(value: Any) -> bool:
    """Return whether pulumi-policy can read a value."""
    try:
        deserialize_properties({"": value})
    except AssertionError:  # an unknown signature, or an incomplete asset or secret
        return False
    return True


def encoded(props: Mapping[str, Any]) -> struct_pb2.Struct:
    """Return properties for the wire, with marks of secrets and unknown values."""
    struct = struct_pb2.Struct()
    struct.update(serialize_properties(props))
    return struct
