"""What every resource does alike: each life of `wire_lives` through every operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic.alias_generators import to_camel

from lives.life import own_id
from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.registry import RESOURCES
from pulumi_clouddb.resource.overrides import OverrideResource
from pulumi_clouddb.resource.plain import PlainResource
from pulumi_clouddb.schema.base import wire_name
from pulumi_clouddb.schema.resource_type import FunctionType
from pulumi_clouddb.testing import UNKNOWN

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
"""The managed dashboard goes through the same code as these."""


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


def needed(function: FunctionType[Any]) -> set[str]:
    """Return the arguments that a function cannot go without."""
    model = function.inputs
    return {wire_name(model, each) for each, info in model.model_fields.items() if info.is_required()}


def by_function(life: WireLife) -> Iterator[Case]:
    """Yield the case of the functions that read such an object by its id, or list it."""
    handler = RESOURCES[life.life.name]
    if handler.functions and isinstance(handler, (PlainResource, OverrideResource)):
        place = {"serviceId": "$service_id"} if life.managed else {}
        by_id = {to_camel(handler.collection.id_part): "$id", **place}
        given = {each.type: by_id if each.type.name == f"get{life.life.name}" else place for each in handler.functions}
        reads = [invoke(each.name, values) for each, values in given.items() if needed(each) <= values.keys()]
        yield case(life, "its functions read it", create(life.after), *reads)


def by_drift(life: WireLife) -> Iterator[Case]:
    """Yield the case of somebody who changes the object by hand."""
    if drift := life.life.drift:
        yield case(
            life,
            "what somebody changed is shown and put back",
            create(life.after),
            change(lambda run: drift(run.sandbox, run.id)),
            later_command(),
            refresh(),
            diff(life.after, changes=True, paths=life.life.drifted),
            update(life.after),
            later_command(),
            refresh(),
            diff(life.after, **SAME),
        )


def of(life: WireLife) -> list[Case]:
    """Return the cases of one life in which nothing goes wrong."""
    before, after = life.before, life.after
    removed = change(lambda run: run.sandbox.remove(life.life.kind, own_id(life.life.kind, run.id)))
    return [
        case(
            life,
            "its preview sends nothing and comes true; created, it shows no change, and what is unknown counts as one",
            check(before, failures=[]),
            preview_create(before, id=""),
            nothing_sent(),
            create(before),
            diff(before, **SAME),
            *(diff({**before, name: UNKNOWN}, changes=True) for name in after if after[name] != before.get(name)),
            differs=frozenset({PREVIEWS}),
        ),
        case(
            life,
            "an update changes what it says, and its preview sends nothing and comes true",
            create(before),
            from_here_on(),
            check(after, failures=[]),
            diff(after, changes=True, replaces=[], details=life.details),
            preview_update(after, known=life.left_alone),
            nothing_sent(),
            update(after),
            diff(after, **SAME),
            differs=frozenset({PREVIEWS}),
        ),
        case(
            life,
            "a refresh of what nobody touched shows no change",
            create(before),
            later_command(),
            refresh(),
            diff(before, **SAME),
        ),
        case(life, "deleted, it is gone, and may be deleted again", create(before), delete(), delete()),
        case(
            life,
            "what somebody removed is found gone, and its delete is done",
            create(before),
            removed,
            later_command(),
            refresh(id=""),
            delete(),
        ),
        case(
            life,
            "imported, it is as it was made, and nothing is written",
            create(after),
            later_command(),
            from_here_on(),
            import_(life.where, inputs=life.told),
            nothing_written(),
            differs=frozenset({IMPORT}),
        ),
        case(
            life,
            "an import of what is not there says so",
            import_(life.missing, fails=f"{life.life.name} .* does not exist.*\nCheck the id"),
            differs=frozenset({IMPORT}),
        ),
        case(
            life,
            "a program gets it by its id, as it is, and is told of what is not there",
            create(after),
            later_command(),
            get(life.where, inputs=life.told),
            diff_of_itself(**SAME),
            get(life.missing, fails=f"{life.life.name} .* does not exist.*\nCheck the id"),
        ),
    ]


CASES = [each for life in WIRE_LIVES for each in (*of(life), *by_drift(life), *by_function(life))]
