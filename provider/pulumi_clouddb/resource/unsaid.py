"""Properties that the server has and no program manages: a PUT without them would clear them."""

from __future__ import annotations

from pulumi_clouddb.schema.base import Model, Record, names_marked, wire_names
from pulumi_clouddb.schema.convert import to_wire
from pulumi_clouddb.schema.names import ID
from pulumi_clouddb.schema.resource_type import ResourceType
from pulumi_clouddb.schema.values import WireDict


def unsaid(resource: ResourceType, held: Record, old: Model, wanted: Model, *, takes_more: bool) -> WireDict:
    """Return the unmanaged properties that a PUT has to repeat, by wire name.

    Args:
        resource: The type of the object.
        held: What the server holds now.
        old: The arguments of the last update: what they say and `wanted` do not is to be cleared.
        wanted: The arguments of this update.
        takes_more: Whether the server takes properties that this package does not know.
    """
    said = {*to_wire(old), *to_wire(wanted), *resource.provider_only, *resource.output_only, ID}
    inputs = resource.inputs
    names = set(wire_names(inputs)) - set(() if takes_more else names_marked(inputs, "only"))
    known = {**(held.answer if takes_more else {}), **to_wire(held, names)}
    return {name: value for name, value in known.items() if name not in said and value is not None}


def cleared(resource: ResourceType, old: Model, wanted: Model) -> WireDict:
    """Return the values that clear properties which a server keeps when a PUT leaves them out."""
    now = to_wire(wanted)
    return resource.cleared(name for name in to_wire(old) if name not in now)
