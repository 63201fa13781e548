"""`make faults ONLY=…` learns the calm lives of the cases that match, and of no others."""

from __future__ import annotations

import re

import pytest

from . import run

REQUESTS = ("all-state-lost", "1:list_stack_roles-lag", "2:create_service-lose")
"""The middle of the ids of cases: a place, a request and a trouble."""

LIVES_OF = {
    "StackRole": 12,
    "StackRole-clickhouse-update": 2,
    "StackRole-clickhouse-create-.*-native": 3,
    "Alert.managed|StackRole": 36,
    "create_stack_role": len(run.all_setups()),
    "state-lost": len(run.all_setups()),
    "": len(run.all_setups()),
}
"""The number of calm lives of an expression."""


@pytest.mark.parametrize("only", LIVES_OF)
def test_an_expression_chooses_the_lives_to_learn(only: str) -> None:
    """None of a case that matches is left out."""
    setups = run.all_setups()
    chosen = [each for each in setups if run.may_match(each, only)]
    for each in setups:
        ids = [f"{each.subject}-{each.dialect}-{each.operation}-{middle}-{each.front_end}" for middle in REQUESTS]
        assert each in chosen or not any(re.search(only, id_) for id_ in ids)
    assert len(chosen) == LIVES_OF[only]
