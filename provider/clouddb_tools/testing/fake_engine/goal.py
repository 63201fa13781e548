"""The goal states in RegisterResource and ReadResource requests."""

from __future__ import annotations

from dataclasses import dataclass, field

from pulumi.runtime.proto import alias_pb2, resource_pb2

from pulumi_clouddb.engine.wire import urns
from pulumi_clouddb.engine.wire.codec import Properties, from_struct

from .state import Resource

DYNAMIC_PACKAGE = "pulumi-python"


class NotSupportedError(Exception):
    """The program uses a feature that only the real engine supports."""


@dataclass
class Goal:
    """The goal state of a resource."""

    type: str
    name: str
    parent: str
    custom: bool
    properties: Properties
    id: str = ""
    dependencies: list[str] = field(default_factory=list)
    property_dependencies: dict[str, list[str]] = field(default_factory=dict)
    aliases: list[alias_pb2.Alias] = field(default_factory=list)
    ignore_changes: list[str] = field(default_factory=list)
    replace_on_changes: list[str] = field(default_factory=list)
    additional_secret_outputs: list[str] = field(default_factory=list)
    delete_before_replace: bool | None = None
    protect: bool | None = None
    retain_on_delete: bool | None = None
    deleted_with: str = ""
    replace_with: list[str] = field(default_factory=list)

    @classmethod
    def from_register(cls, request: resource_pb2.RegisterResourceRequest) -> Goal:
        """Return the goal of a registration, or refuse an unsupported one."""
        _refuse_other_packages(request.type, request.custom, request.provider)
        for given, what in (
            (request.remote, "component providers are"),
            (request.importId, "the option `import_` is"),
            (request.HasField("replacement_trigger"), "the option `replacement_trigger` is"),
        ):
            if given:
                raise NotSupportedError(f"{what} not supported by the fake engine ({request.type} {request.name!r})")
        return cls(
            type=request.type,
            name=request.name,
            parent=request.parent,
            custom=request.custom,
            properties=from_struct(request.object),
            dependencies=sorted(request.dependencies),
            property_dependencies={key: sorted(each.urns) for key, each in request.propertyDependencies.items()},
            aliases=[*request.aliases, *(alias_pb2.Alias(urn=urn) for urn in request.aliasURNs)],
            ignore_changes=list(request.ignoreChanges),
            replace_on_changes=list(request.replaceOnChanges),
            additional_secret_outputs=list(request.additionalSecretOutputs),
            delete_before_replace=request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
            protect=request.protect if request.HasField("protect") else None,
            retain_on_delete=request.retainOnDelete if request.HasField("retainOnDelete") else None,
            deleted_with=request.deletedWith,
            replace_with=list(request.replace_with),
        )

    @classmethod
    def from_read(cls, request: resource_pb2.ReadResourceRequest) -> Goal:
        """Return the goal of a request to read an existing resource."""
        _refuse_other_packages(request.type, True, request.provider)
        return cls(
            type=request.type,
            name=request.name,
            parent=request.parent,
            custom=True,
            properties=from_struct(request.properties),
            id=request.id,
            dependencies=sorted(request.dependencies),
            additional_secret_outputs=list(request.additionalSecretOutputs),
        )

    def inherit(self, parent: Goal) -> None:
        """Inherit options that are not set from the parent (deploy/source_eval.go, inheritFromParent)."""
        if self.protect is None:
            self.protect = parent.protect
        if self.retain_on_delete is None:
            self.retain_on_delete = parent.retain_on_delete
        self.deleted_with = self.deleted_with or parent.deleted_with

    def resource(self, urn: str, *, external: bool = False) -> Resource:
        """The new state, as far as the program determines it."""
        return Resource(
            urn=urn,
            custom=self.custom,
            id=self.id,
            inputs=self.properties,
            parent=self.parent,
            dependencies=self.dependencies,
            property_dependencies=self.property_dependencies,
            deleted_with=self.deleted_with,
            replace_with=self.replace_with,
            protect=bool(self.protect),
            retain_on_delete=bool(self.retain_on_delete),
            external=external,
            ignore_changes=self.ignore_changes,
            replace_on_changes=self.replace_on_changes,
            additional_secret_outputs=self.additional_secret_outputs,
        )


def _refuse_other_packages(type_: str, custom: bool, provider: str) -> None:
    package = type_.partition(":")[0]
    if type_.startswith(urns.PROVIDERS) or provider:
        raise NotSupportedError(f"explicit provider resources ({type_}) are not supported by the fake engine")
    if custom and package != DYNAMIC_PACKAGE:
        raise NotSupportedError(
            f"the fake engine runs dynamic resources only, not those of package {package!r} ({type_})"
        )
