"""Behavior that all resources share: each wire life with every operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic.alias_generators import to_camel

from clouddb_tools.testing import UNKNOWN
from lives.life import own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.base import wire_name

from .case import Case, Step
from .differences import IMPORT, PREVIEWS
from .steps import (
    change,
    check,
    create,
    delete,
    diff,
    diff_of_itself,
    from_here_on,
    get,
    import_,
    invoke,
    later_command,
    nothing_sent,
    nothing_written,
    preview_create,
    preview_update,
    refresh,
    update,
)

SAME: dict[str, Any] = {"changes": False, "details": {}}


SAME_CODE = ("managed saved search", "managed source", "managed webhook")
"""Lives that use the same code as the managed dashboard."""
NOT_THERE = r"{} .* does not exist.*\nCheck the id"


def case(life: WireLife, name: str, *steps: Step, **more: Any) -> Case:
    """Return a case of one life."""
    return Case(
        f"{life}: {name}",
        life.life.name,
        steps,
        life.life.server,
        life.life.setting,
        **more,
        slow=life.name in SAME_CODE,
    )


NEEDS_A_CHOICE = {"listServiceProfiles"}
"""Functions with two optional inputs, of which one must be set; cases_functions.py calls them."""


def by_function(life: WireLife) -> Iterator[Step]:
    """Yield calls of the functions that read such an object by its id, or list it."""
    handler = RESOURCES[life.life.name]
    if handler.functions and isinstance(handler, (PlainResource, OverrideResource)):
        place = {"serviceId": "$service_id"} if life.managed else {}
        by_id = {to_camel(handler.collection.id_part): "$id", **place}
        for each in handler.functions:
            values = by_id if each.type.name == f"get{life.life.name}" else place
            model = each.type.inputs
            required = {wire_name(model, name) for name, info in model.model_fields.items() if info.is_required()}
            if required <= values.keys() and each.type.name not in NEEDS_A_CHOICE:
                yield invoke(each.type.name, values)


def by_drift(life: WireLife) -> Iterator[Step]:
    """Yield the steps after a change by hand: it is detected and repaired."""
    if life.life.drift is not None:
        yield change(lambda run: life.life.change(run.sandbox, run.id))
        yield later_command()
        yield refresh()
        yield diff(life.after, changes=True, paths=life.life.repaired)
        yield update(life.after)
        yield later_command()
        yield refresh()
        yield diff(life.after, **SAME)


def created(life: WireLife) -> Iterator[Step]:
    """Yield a create with a preview that sends nothing and is correct; then only unknown inputs cause a difference."""
    before, after = life.before, life.after
    yield from_here_on()
    yield check(before, failures=[])
    yield preview_create(before, id="")
    yield nothing_sent()
    yield create(before)
    yield diff(before, **SAME)
    yield from (diff({**before, name: UNKNOWN}, changes=True) for name in after if after[name] != before.get(name))
    yield later_command()
    yield refresh()
    yield diff(before, **SAME)


def updated(life: WireLife) -> Iterator[Step]:
    """Yield an update with a preview that sends nothing and is correct."""
    after = life.after
    yield from_here_on()
    yield check(after, failures=[])
    yield diff(after, changes=True, replaces=[], details=life.details)
    yield preview_update(after, known=life.left_alone)
    yield nothing_sent()
    yield update(after)
    yield diff(after, **SAME)


def deleted(life: WireLife) -> Iterator[Step]:
    """Yield deletes of an existing object, of a deleted one, and of one that was removed by hand."""
    yield delete()
    yield delete()
    yield create(life.before)
    yield change(lambda run: run.sandbox.remove(life.life.kind, own_id(life.life.kind, run.id)))
    yield later_command()
    yield refresh(id="")
    yield delete()


def of(life: WireLife) -> Iterator[Case]:
    """Yield the cases of one life without faults."""
    not_there = NOT_THERE.format(life.life.name)
    yield case(
        life,
        "created, updated, changed by hand, deleted",
        *(*created(life), *updated(life), *by_drift(life), *deleted(life)),
        differs=frozenset({PREVIEWS}),
    )
    yield case(
        life,
        "read by a program, and imported without differences",
        create(life.after),
        later_command(),
        from_here_on(),
        *by_function(life),
        get(life.where, inputs=life.imported),
        diff_of_itself(**SAME),
        get(life.missing, fails=not_there),
        import_(life.missing, fails=not_there),
        import_(life.where, inputs=life.imported),
        nothing_written(),
        differs=frozenset({IMPORT}),
    )


CASES = [case for life in WIRE_LIVES for case in of(life)]
