# Written by hand; the other files of this package are generated.
"""The base of the generated classes: arguments, registration with the dynamic provider, lookups and functions."""

import copy
import inspect
from collections.abc import Callable, Collection, Generator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import pulumi
from pulumi._types import input_type_to_dict
from pulumi.dynamic.dynamic import PROVIDER_KEY
from pulumi.output import UNKNOWN, Unknown
from pulumi.runtime.rpc import translate_output_properties

from ._keyed import KeyedOutput, keys_of, taken_key
from ._mistakes import argument_mistakes, misfits, no_attribute, with_advice
from ._options import translate_paths
from ._run_end import record_responses

ResourceT = TypeVar("ResourceT", bound="DynamicResource")
ResultT = TypeVar("ResultT")

_PACKAGE = __name__.partition(".")[0]

PROVIDER_PACKAGE = "pulumi-python"
"""The package of Pulumi's dynamic providers."""

NO_PROVIDER = (
    "the option provider, here or of a parent, needs the native plugin: "
    "the Python classes use the configuration of the stack"
)


class Args:
    """Base of all arguments. Pulumi accepts them in place of a dict of inputs, and does not translate their names."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__init__ = with_advice(cls.__init__)  # type: ignore[method-assign]

    def _fill(self, **values: Any) -> None:
        """Store the values, except those that are None."""
        for name, value in values.items():
            if value is not None:
                pulumi.set(self, name, value)

    def __contains__(self, name: str) -> bool:
        return name in self.__dict__

    def __setitem__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value


def _partial(kind: type[Args], values: Mapping[str, Any]) -> Args:
    """Return arguments without checking that the required ones are present."""
    args = kind.__new__(kind)
    args._fill(**values)
    return args


class DynamicResource(pulumi.dynamic.Resource):
    """Base of all resources: a typed class, registered with the dynamic provider of this package."""

    _args: ClassVar[type[Args]]
    _required: ClassVar[tuple[str, ...]] = ()
    _secret: ClassVar[tuple[str, ...]] = ()
    _deleted_first_unless: ClassVar[tuple[str, ...] | None] = None

    def __init_subclass__(cls, module: str = "", name: str = "", **kwargs: Any) -> None:
        inherited = getattr(cls, "_resource_type_name", "")
        super().__init_subclass__(module=module, name=name, **kwargs)
        if not name:
            # A subclass in a program keeps the type of the resource that it extends.
            cls._resource_type_name = inherited

    def _declare(self, resource_name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> None:
        """Register a resource from either form of its constructor: (args, opts), or (opts, **properties)."""
        first = named.pop("args", None) or (positional[0] if positional else None)
        if isinstance(first, self._args):
            opts = named.pop("opts", None) or (positional[1] if len(positional) > 1 else None)
            if named:
                raise self._argument_error(
                    resource_name, [f"give properties in args or by name, not both: {', '.join(named)}"]
                )
            self._register(resource_name, first, opts)
            return
        opts = named.pop("opts", None) or first
        if mistake := self._mistaken_form(opts, first):
            raise self._argument_error(resource_name, [mistake])
        if opts is not None and (opts.id is not None or opts.urn is not None):
            self._register(resource_name, _partial(self._args, named), opts)  # reads an existing object
            return
        if mistakes := self._mistakes(named):
            raise self._argument_error(resource_name, mistakes)
        self._register(resource_name, self._args(**named), opts)

    def _mistaken_form(self, opts: object, first: object) -> str:
        """Return what is wrong if something else than options is in their place, such as a dict; empty if nothing."""
        if opts is None or isinstance(opts, pulumi.ResourceOptions):
            return ""
        if opts is first:
            takes = f"{type(self).__name__}(…, name=…) or {self._args.__name__}(name=…)"
            return f"it takes its properties by name, not as {type(first).__name__}: write {takes}"
        return f"opts must be pulumi.ResourceOptions(…), not {type(opts).__name__}"

    def _mistakes(self, named: Mapping[str, Any]) -> list[str]:
        """Return a message for each argument that does not exist, and one for the required ones that are missing."""
        known = list(inspect.signature(self._args).parameters)
        missing = [name for name in self._required if named.get(name) is None]
        mistakes = argument_mistakes(named, known, _outputs_of(type(self)), self._args)
        return [*mistakes, f"it needs {', '.join(map(repr, missing))}"] if missing else mistakes

    if not TYPE_CHECKING:  # a checker that sees `__getattr__` accepts every name, misspelt ones too

        def __getattr__(self, name: str) -> Any:
            outputs = _outputs_of(type(self))
            if name.startswith("_") or name in outputs:  # of Pulumi, or an error while an output is read
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            own_id = name.replace("_", "") == f"{type(self)._args.__name__.removesuffix('Args').lower()}id"
            raise no_attribute(type(self).__name__, name, outputs, "id" if own_id else "")

    def _argument_error(self, resource_name: str, mistakes: Collection[str]) -> Exception:
        from pulumi_clouddb.client.errors import ArgumentError

        return ArgumentError(f"{type(self).__name__} {resource_name!r}: {'; '.join(mistakes)}")

    def _register(self, resource_name: str, args: Args, opts: pulumi.ResourceOptions | None) -> None:
        # Imported late: these import the client, which `import pulumi_clouddb` should not wait for.
        from pulumi_clouddb.dynamic.provider import serialized
        from pulumi_clouddb.engine.wire.registration import REGISTRATION_KEY

        generated = next(cls for cls in type(self).__mro__ if DynamicResource in cls.__bases__)
        given = copy.copy(opts) or pulumi.ResourceOptions()
        if mistakes := [*_mistaken_options(given), *translate_paths(given, generated.__name__), *misfits(args)]:
            raise self._argument_error(resource_name, mistakes)
        values = copy.copy(args)
        for name in self._secret:
            if name in values.__dict__:
                values[name] = pulumi.Output.secret(values.__dict__[name])
        for name, member in vars(generated).items():
            if isinstance(member, property) and name not in values:
                values[name] = None  # an output, which the provider returns
        # With this alias, a resource of the native plugin keeps its object; the plugin has an alias for this type.
        own = pulumi.ResourceOptions(
            additional_secret_outputs=list(self._secret),
            aliases=[pulumi.Alias(type_=f"clouddb:index:{generated.__name__}")],
        )
        merged = pulumi.ResourceOptions.merge(given, own)
        if merged.delete_before_replace is None and self._is_deleted_first(args):
            merged.delete_before_replace = True
        self._keys = None if merged.id is not None else keys_of(args.__dict__.get("tiles"))
        type_ = f"{PROVIDER_PACKAGE}:{self._resource_type_name}"
        values[PROVIDER_KEY] = serialized(generated.__name__)
        values[REGISTRATION_KEY] = _Registration(type_, resource_name, merged.parent, values)
        # Like dynamic.Resource.__init__, with two differences: the provider is serialized once and not per resource,
        # and the arguments are not copied to a dict, which would lose the names and types that they declare.
        record_responses()
        pulumi.CustomResource.__init__(self, type_, resource_name, cast(Any, values), merged)

    def _is_deleted_first(self, args: Args) -> bool:
        """Return whether a forced replacement must delete the old object first, since its name is unique.

        Pulumi's engine does not ask the provider for a diff if a user forces the replacement (`--replace`, `pulumi
        state taint`).
        """
        unless = self._deleted_first_unless
        return unless is not None and all(args.__dict__.get(name) in (None, False) for name in unless)

    def _keyed(self, name: str, output: pulumi.Output[Mapping[str, str]]) -> pulumi.Output[Mapping[str, str]]:
        """Return an output map with the program's keys; the error for a missing key names the resource."""
        return KeyedOutput(output, f"{type(self).__name__} {self._name!r}, {name}", self._keys)

    @classmethod
    def _look_up(
        cls: type[ResourceT],
        resource_name: str,
        id_: pulumi.Input[str],
        opts: pulumi.ResourceOptions | None,
        **state: Any,
    ) -> ResourceT:
        """Return the resource of an existing object, which is read by its id and `state`."""
        resource = cls.__new__(cls)
        merged = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(id=id_))
        resource._register(resource_name, _partial(cls._args, state), merged)
        return resource


def _outputs_of(resource: type[DynamicResource]) -> list[str]:
    """Return the names of the outputs, with the id and the URN."""
    return [name for name, member in inspect.getmembers(resource) if isinstance(member, property)]


def _mistaken_options(opts: pulumi.ResourceOptions) -> list[str]:
    """Return a message for each option with which Pulumi would do something else than the program says.

    Pulumi ignores a provider of another package: the object would be created with the configuration of the stack. Its
    dynamic host cannot import (https://github.com/pulumi/pulumi/issues/16175), and does not tell the engine which
    properties change, so that `replace_on_changes` never matches (`pulumi.dynamic.__main__` of pulumi 3.272).
    """
    mistakes = []
    provider = _provider_of(opts)
    if provider is not None and provider.package != PROVIDER_PACKAGE:
        mistakes.append(NO_PROVIDER)
    if opts.import_ is not None:
        mistakes.append(
            "the option import_ needs the native plugin: import with `clouddb import-file`, and leave it out"
        )
    if opts.replace_on_changes:
        mistakes.append("the option replace_on_changes needs the native plugin: leave it out")
    return mistakes


def _provider_of(opts: pulumi.ResourceOptions | pulumi.InvokeOutputOptions) -> pulumi.ProviderResource | None:
    """Return the provider that these options have, or else their parent for this package."""
    if opts.provider is not None or opts.parent is None:
        return opts.provider
    return opts.parent.get_provider(f"{PROVIDER_PACKAGE}:dynamic:") or opts.parent.get_provider("clouddb:index:")


class _Registration:
    """What the provider receives of a resource besides its properties; see `pulumi_clouddb.engine.wire.registration`.

    The SDK awaits it when it serializes the resource. An output is not possible: the engine would treat the parent as
    a dependency, and one unknown value makes a whole output unknown.
    """

    def __init__(self, type_: str, name: str, parent: pulumi.Resource | None, args: Args) -> None:
        self._type, self._name, self._parent, self._args = type_, name, parent, args
        _AWAITED.add(self)

    def __await__(self) -> Generator[Any, None, dict[str, Any]]:
        return self._content().__await__()

    async def _content(self) -> dict[str, Any]:
        from pulumi_clouddb.engine.wire.registration import NO_ORGANIZATION, ORGANIZATION, SECRET, URN
        from pulumi_clouddb.engine.wire.side_channels import write_tile_keys

        _AWAITED.discard(self)
        given = input_type_to_dict(self._args)
        secret = {name: await _is_secret(value) for name, value in given.items()}
        urn = await self._urn()
        write_tile_keys(urn, {name: key for name, value in given.items() if (key := taken_key(value)) is not None})
        # A map and not a list of names: an entry may be unknown in a preview, and must not invalidate a saved plan.
        content = {URN: urn, SECRET: {name: each for name, each in secret.items() if each is not False}}
        organization = pulumi.get_organization()
        known = organization and organization != NO_ORGANIZATION
        return {**content, ORGANIZATION: organization} if known else content

    async def _urn(self) -> str:
        """Return the URN that the engine will assign to the resource."""
        from pulumi_clouddb.engine.wire import urns

        parent = "" if self._parent is None else str(await self._parent.urn.future())
        return urns.create(pulumi.get_stack(), pulumi.get_project(), parent, self._type, self._name)


_AWAITED: set[_Registration] = set()
"""The registrations that the SDK has not awaited yet.

Without this reference, the garbage collector of CPython 3.13.0 clears them although a coroutine refers to them, and
every program fails (seen with pulumi 3.272; not with 3.11, and not with `gc.disable()`). With CPython 3.13.0,
tests/provider/resources/test_lives.py fails without it.
"""


async def _is_secret(value: Any) -> bool | Unknown:
    """Return whether a value is or contains a secret; `UNKNOWN` if an unknown value may still be one."""
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, pulumi.Output):
        return await value.is_secret() or await _is_secret(
            await value.future(with_unknowns=True) if await value.is_known() else UNKNOWN
        )
    inner: Collection[Any] = ()
    if isinstance(value, Args):
        inner = vars(value).values()
    elif isinstance(value, Mapping):
        inner = ValuesView(value)  # an output type can have a property `values`, which hides the method
    elif isinstance(value, (list, tuple)):
        inner = value
    results = [await _is_secret(item) for item in inner]
    if True in results:
        return True
    return False if all(result is False for result in results) else UNKNOWN


def call(name: str, arguments: Mapping[str, Any], result: type[ResultT], secrets: Collection[str]) -> ResultT:
    """Call a function by its Pulumi name, and return its typed result with secret fields as secret outputs."""
    from pulumi_clouddb.engine.dynamic.functions import call as call_provider

    given = {key: _plain(value) for key, value in arguments.items() if value is not None}
    returned = _with_secrets(call_provider(name, given), secrets)
    typed: ResultT = translate_output_properties(returned, lambda key: key, result, True)
    return typed


def _plain(value: Any) -> Any:
    """Return an argument with classes converted to dicts by wire name."""
    if isinstance(value, Args):
        value = input_type_to_dict(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def call_output(
    function: Callable[..., ResultT], opts: pulumi.InvokeOutputOptions | None, **arguments: Any
) -> pulumi.Output[ResultT]:
    """Call a function once its arguments and the resources it depends on are known.

    Raises:
        ArgumentError: The options, or their parent, have a provider, which the function would not use.
    """
    if opts is not None and _provider_of(opts) is not None:
        from pulumi_clouddb.client.errors import ArgumentError

        raise ArgumentError(f"{function.__name__}_output: {NO_PROVIDER}")
    depends_on: pulumi.Output[Any] = pulumi.Output.from_input((opts and opts.depends_on) or [])

    def wait(resources: Any) -> Any:
        return pulumi.Output.all(*(each.id for each in (resources if isinstance(resources, list) else [resources])))

    def run(_: Any) -> pulumi.Output[ResultT]:
        return pulumi.Output.all(**arguments).apply(lambda known: function(**dict(known)))

    ready: pulumi.Output[Any] = depends_on.apply(wait)
    return ready.apply(run)


def _with_secrets(value: Any, secrets: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {
            key: pulumi.Output.secret(item) if key in secrets and item is not None else _with_secrets(item, secrets)
            for key, item in value.items()
        }
    return [_with_secrets(item, secrets) for item in value] if isinstance(value, list) else value
