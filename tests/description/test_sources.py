"""Each rule of check that names a place of a description: the place exists, and a change of it names the rule."""

from __future__ import annotations

from .accounts import without_variants
from .bodies import facts_of
from .facts import CLOUD, OBSERVABILITY, Facts
from .places import places
from .sources import rules_at, rules_by_place


def places_of(facts: Facts) -> set[str]:
    """Return the names of all operations and schemas, and the places in them."""
    origins = {without_variants(said.origin) for said in places(facts).values()}
    return {*facts.operations, *facts.schemas, *origins}


def test_places_that_rules_name_exist() -> None:
    """In the kept facts, or in what servers have besides."""
    known = places_of(facts_of(CLOUD)) | places_of(facts_of(OBSERVABILITY))
    assert {place: [*rules] for place, rules in rules_by_place().items() if place not in known} == {}


def test_a_change_within_a_place_names_its_rules() -> None:
    """A rule of a whole schema is one of each property; one of a property is none of its neighbours."""
    assert any(each.startswith("PostgresService.pgConfig must") for each in rules_at("pgConfig.max_connections"))
    assert rules_at("ServicePostRequest.tier") == [
        "Service.tier must not be development on azure, which does not have that tier"
    ]
