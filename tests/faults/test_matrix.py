"""A sample of the matrix, and what the matrix as a whole must be; `make faults` plays all of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from pulumi_clouddb.registry import OPERATIONS

from . import run
from .case import COMMANDS, DIALECTS, Case, Setup
from .conftest import COUNTED
from .front_ends import FRONT_ENDS
from .play import End
from .subjects import SUBJECTS
from .table import table
from .troubles import ALL, WHOLE

SAMPLE = int(os.environ.get("CASES", "90"))
SEED = int(os.environ.get("SEED", "0"))
LEAST_CASES = 2500

Matrix = tuple[run.Workers, dict[Setup, End]]
pytestmark = [pytest.mark.slow, pytest.mark.first, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def matrix(no_settings_from_outside: None) -> Iterator[Matrix]:  # noqa: ARG001 (it goes first)
    """Workers, and a calm life of every operation of every subject, in turns of both dialects and both front ends."""
    with run.workers() as team:
        yield team, run.learn(team, run.each_once())


def test_calm_lives_end_well(matrix: Matrix) -> None:
    """Nothing is wrong where nothing goes wrong; each comparison of a case would be with something wrong."""
    bad = [str(run.Outcome(setup, end.story)) for setup, end in matrix[1].items() if end.story.problems]
    assert not bad, "\n\n".join(bad)


def test_a_sample_of_the_cases_ends_well(matrix: Matrix, record_property: Callable[[str, object], None]) -> None:
    """Each kind of trouble in each operation comes before a second one of them; CASES and SEED choose others."""
    team, ends = matrix
    played = list(run.play(team, run.sample(run.choose(ends, seed=SEED), SAMPLE), ends))
    record_property(COUNTED, table(played))
    assert len(played) == SAMPLE
    bad = [str(each) for each in played if each.result == "failed"]
    assert not bad, "\n\n".join(bad)


def test_the_matrix_is_long_and_complete(matrix: Matrix) -> None:
    """All resources, operations, dialects, front ends and troubles; every write that the package knows is met.

    The calm lives of one setup in four tell of all of it; `make faults` plays those of all.
    """
    cases: list[Case] = run.choose(matrix[1])
    assert len(cases) > LEAST_CASES
    assert len({str(case) for case in cases}) == len(cases)
    assert {case.setup.subject.resource for case in cases} == {each.resource for each in SUBJECTS.values()}
    assert {case.setup.subject.name for case in cases} == set(SUBJECTS)
    assert {case.setup.operation for case in cases} == set(COMMANDS)
    assert {case.setup.dialect for case in cases} == set(DIALECTS)
    assert {case.setup.front_end for case in cases} == set(FRONT_ENDS)
    assert {case.trouble.name for case in cases} == {trouble.name for trouble in (*ALL, *WHOLE)}
    writes = {name for name, operation in OPERATIONS.items() if operation.writes}
    assert writes - {case.request for case in cases} == NOT_MET | OF_OTHER_LIVES


OF_OTHER_LIVES = {
    *("command_postgres_service", "create_postgres_read_replica", "restore_postgres_service"),
    *("replace_postgres_config", "update_postgres_config"),
    *("delete_stack_member", "delete_user_defined_function_version"),
}
"""Writes of tests of their things and of simulated lives; the one life of their resource here has none of them."""

NOT_MET = {
    "scale_service_total",
    "set_pipe_settings",
    "discover_pipe_schema",
    "validate_dashboard",
    "self_hosted_validate_dashboard",
    "delete_member",
}
"""What only other clients and functions ask for: one is deprecated, one a part of another, two tell of mistakes.

A member is removed where an invitation was accepted, which no life has (test_invitations.py).
"""
