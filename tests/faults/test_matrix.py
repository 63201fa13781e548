"""A sample of the matrix, and checks of the whole matrix; `make faults` plays all of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from pulumi_clouddb.registry import OPERATIONS

from . import run
from .case import COMMANDS, DIALECTS, Case, Setup
from .conftest import COUNTED
from .fault import ALL, WHOLE
from .front_ends import FRONT_ENDS
from .play import Baseline
from .subjects import SUBJECTS
from .table import table

SAMPLE = int(os.environ.get("CASES", "90"))
SEED = int(os.environ.get("SEED", "0"))
MIN_CASES = 2500

Matrix = tuple[run.Workers, dict[Setup, Baseline]]
pytestmark = [pytest.mark.slow, pytest.mark.first, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def matrix(no_settings_from_outside: None) -> Iterator[Matrix]:  # noqa: ARG001 (runs first)
    """Workers, and a life without faults for each operation of each subject, alternating dialects and front ends."""
    with run.workers() as team:
        yield team, run.learn(team, run.each_once())


def test_lives_without_faults_have_no_problems(matrix: Matrix) -> None:
    """Lives without faults are correct; all cases are compared with them."""
    bad = [str(run.Outcome(setup, baseline.log)) for setup, baseline in matrix[1].items() if baseline.log.problems]
    assert not bad, "\n\n".join(bad)


def test_sampled_cases_have_no_problems(matrix: Matrix, record_property: Callable[[str, object], None]) -> None:
    """The sample has each kind of fault in each operation before a second one; CASES and SEED change it."""
    team, baselines = matrix
    played = list(run.play(team, run.sample(run.choose(baselines, seed=SEED), SAMPLE), baselines))
    record_property(COUNTED, table(played))
    assert len(played) == SAMPLE
    bad = [str(each) for each in played if each.result == "failed"]
    assert not bad, "\n\n".join(bad)


def test_matrix_is_complete(matrix: Matrix) -> None:
    """The matrix has all resources, operations, dialects, front ends and faults, and every write of the package.

    The lives of one setup in four are enough to show it; `make faults` plays those of all setups.
    """
    cases: list[Case] = run.choose(matrix[1])
    assert len(cases) > MIN_CASES
    assert len({str(case) for case in cases}) == len(cases)
    assert {case.setup.subject.resource for case in cases} == {each.resource for each in SUBJECTS.values()}
    assert {case.setup.subject.name for case in cases} == set(SUBJECTS)
    assert {case.setup.operation for case in cases} == set(COMMANDS)
    assert {case.setup.dialect for case in cases} == set(DIALECTS)
    assert {case.setup.front_end for case in cases} == set(FRONT_ENDS)
    assert {case.fault.name for case in cases} == {fault.name for fault in (*ALL, *WHOLE)}
    writes = {name for name, operation in OPERATIONS.items() if operation.writes}
    assert writes - {case.request for case in cases} == NOT_SENT | OF_OTHER_TESTS


OF_OTHER_TESTS = {
    *("command_postgres_service", "create_postgres_read_replica", "restore_postgres_service"),
    *("replace_postgres_config", "update_postgres_config"),
    *("delete_stack_member", "delete_user_defined_function_version", "validate_byoc_infrastructure"),
}
"""Writes that the life of their resource does not send; the tests of the thing and the simulation cover them."""

NOT_SENT = {
    "scale_service_total",
    "set_pipe_settings",
    "discover_pipe_schema",
    "validate_dashboard",
    "self_hosted_validate_dashboard",
    "validate_webhook",
    "self_hosted_validate_webhook",
    "delete_member",
}
"""Writes that only functions or checks send, or that are deprecated or part of another operation.

A member is removed if its invitation was accepted, which no life has (test_invitations.py).
"""
