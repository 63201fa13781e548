"""Cases of every rule of the pack, one file per resource: violations, compliant inputs, and unknown values."""

from __future__ import annotations

from policy.access import CASES as ACCESS
from policy.case import Case, StackCase
from policy.inputs import CASES as INPUTS
from policy.stack import CASES as STACK
from policy.together import CASES as TOGETHER
from support.things import modules

RESOURCE_CASES: list[Case] = [
    *(case for module in modules("policies") for case in module.CASES),
    *ACCESS,
    *INPUTS,
]
STACK_CASES: list[StackCase] = [*STACK, *TOGETHER]
