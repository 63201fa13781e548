"""Generated inputs: after create, read and update there is no difference, and the update matches its preview."""

from __future__ import annotations

import random
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest

from lives.table import WIRE_LIVES
from lives.wire import WireLife
from pulumi_clouddb.client.errors import ClientError
from pulumi_clouddb.resource import lifecycle
from pulumi_clouddb.schema.base import Model, extras_of, wire_name
from pulumi_clouddb.schema.check.within import Within
from pulumi_clouddb.schema.values import contains_unknown
from pulumi_clouddb.schema.vocabulary import VocabularyName
from support.ids import LOGS
from support.played import PlayedLife

pytestmark = pytest.mark.beyond_the_description
Inputs = dict[str, Any]
TEXTS = (
    *("a", "Orders 2", " around ", "ünï日本", "x.y", "12", "a\nb", "$x", "us-east-1", "Ann@Example.com", "5m", "10:00"),
    *("", "2030-01-01T00:00:00Z", "2031-06-01T12:30:00.5+02:00", "203.0.113.7", "203.0.113.0/24", "2001:DB8::/32"),
    *("https://x.example.com/p?q=1", "arn:aws:iam::123456789012:role/r", "22222222-3333-4444-8555-666666666666"),
)
AS_IN_LIVES = {
    *("Service.settings", "Service.minTotalMemoryGb", "Service.maxTotalMemoryGb", "Source.materializedViews"),
    *("Pipe.scaling", "ApiKey.roles", "PrivateEndpoint.region", "PrivateEndpoint.cloudProvider", "Alert.channel"),
    *("UdfAttachment.version", "PipeScaling.replicas", "PipeScaling.concurrency", "PipeScaling.replicaMemoryGb"),
    *("PipeScaling.replicaCpuMillicores", "UdfAttachment.functionName", "PostgresService.pgConfig"),
    "PostgresService.readReplicaOf",
}
"""Properties that only a server can validate, and pairs that mean the same; ids and options are left alone, too."""


def value_of(chance: random.Random, kind: Any, metadata: Any, name: str, dialect: object) -> Any:
    """Return a random value of a type, within its limits."""
    limits = {key: getattr(each, key) for each in metadata for key in ("ge", "le", "multiple_of") if hasattr(each, key)}
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Annotated, Union, UnionType):
        return value_of(chance, inner[0], [*metadata, *inner[1:]], name, dialect)
    if origin is dict:
        return {"name": "value"}
    if origin is list:
        return [value_of(chance, inner[0], (), name, dialect) for _ in range(chance.randint(0, 2))]
    if issubclass(kind, (Enum, Model)):
        return inputs_of(chance, kind, dialect) if issubclass(kind, Model) else chance.choice(list(kind)).value
    for limit in metadata:
        if isinstance(limit, Within) and limit.values and limit.only is dialect:
            return chance.choice([each.value for each in limit.values])  # the sandbox refuses other values
    if kind in (int, float):
        low, step = limits.get("ge", 0), int(limits.get("multiple_of", 1))
        return step * chance.randint(-int(-low // step), int(min(limits.get("le", low + 99), low + 99 * step) // step))
    return chance.random() < 0.5 if kind is bool else LOGS if "ourceId" in name else chance.choice(TEXTS)


def inputs_of(chance: random.Random, model: type[Model], dialect: object) -> Inputs:
    """Return random values of some fields of a model."""
    share, inputs = chance.choice((0.2, 0.6)), {}
    for attribute, info in model.model_fields.items():
        name, is_there = wire_name(model, attribute), extras_of(model, attribute).get("only", dialect) is dialect
        if is_there and (info.is_required() or chance.random() < share):
            inputs[name] = value_of(chance, info.annotation, info.metadata, name, dialect)
    return inputs


class Play(PlayedLife):
    """A life whose inputs are drawn."""

    def inputs(self, chance: random.Random) -> Inputs:
        """Return inputs that check accepts: those of the life, with some random ones."""
        type_, lived = self.resource.type, chance.choice(self.lives)
        generated = inputs_of(chance, type_.inputs_in(self.dialect), self.dialect)
        for name in [name for name in generated if f"{type_.name}.{name}" in AS_IN_LIVES or name.endswith("Id")]:
            del generated[name]
        if generated.get("backupBucket", {}).get("bucketProvider", "AWS") != "AWS":
            generated.setdefault("backupBucketSecret", "a secret")  # no new bucket of these clouds is without it
        # With validateConnection from the start, a key of pipes is validated by the next up, and not by its create.
        options = {"allowReplacement": True, "deletionProtection": False, "validateConnection": False}
        options_used = {name: value for name, value in options.items() if name in type_.provider_only}
        while failures := self.resource.check(self.session, {**lived, **generated, **options_used}).failures:
            wrong = {failure.name for failure in failures} & generated.keys() or {*generated}
            generated = {name: value for name, value in generated.items() if name not in wrong}
        return {**lived, **generated, **options_used}

    def commands(self, first: Inputs, second: Inputs) -> None:
        """Create, read, update, read and delete an object."""
        resource, checked = self.resource, self.resource.check(self.session, first)
        assert resource.check(self.session, checked.inputs) == checked
        object_id, state = lifecycle.create(self.session, resource, checked.inputs)
        self.assert_no_difference(object_id, state, checked.inputs)
        wanted = resource.check(self.session, second).inputs
        if not lifecycle.diff(self.session, resource, object_id, state, wanted).replaces:
            previewed = lifecycle.preview(resource, object_id, state, wanted)
            state = lifecycle.update(self.session, resource, object_id, state, wanted)
            known = {name: each for name, each in previewed.items() if not (name[:2] == "__" or contains_unknown(each))}
            assert [name for name in known if not resource.same(name, known[name], state.get(name))] == []
            self.assert_no_difference(object_id, state, wanted)
        lifecycle.delete(self.session, resource, object_id, state)

    def assert_no_difference(self, object_id: str, state: Inputs, wanted: Inputs) -> None:
        """Assert that neither state nor the server differs from the inputs."""
        live: Any = lifecycle.read(self.session, self.resource, object_id, state, wanted)[1]
        assert [self.resource.diff(each, wanted).changed for each in (state, live.state)] == [(), ()]
        assert [name for name in wanted if not self.resource.same(name, live.inputs.get(name), wanted[name])] == []


@pytest.mark.parametrize("count", [pytest.param(3, id="some"), pytest.param(60, id="many", marks=pytest.mark.slow)])
@pytest.mark.parametrize("dialect", VocabularyName, ids=lambda dialect: dialect.value)
@pytest.mark.parametrize("life", WIRE_LIVES, ids=str)
def test_generated_inputs_show_no_difference(
    life: WireLife, dialect: VocabularyName, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After create, read, update and another read, nothing is left to change, and the inputs mean the same."""
    if life.life.only not in (None, dialect):
        return  # the dialect has no such objects
    play, refused = Play(life, dialect, tmp_path, monkeypatch), 0
    initial = play.sandbox.state.store.copy()
    for number in range(count):
        chance = random.Random(f"{life} {number}")  # noqa: S311 (the same in each run)
        try:
            play.commands(play.inputs(chance), play.inputs(chance))
        except ClientError:  # the inputs break a rule that only the server knows
            refused += 1
        play.sandbox.state.store.replace(initial)
    assert refused <= count / 2
