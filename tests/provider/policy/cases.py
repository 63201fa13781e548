"""Cases of every rule of the pack, one file per resource: what breaks it, what keeps it, what is not known yet."""

from __future__ import annotations

from policy.access import CASES as ACCESS
from policy.case import Case, StackCase
from policy.inputs import CASES as INPUTS
from policy.stack import CASES as STACK
from things.alerts.policies import CASES as ALERT
from things.dashboards.policies import CASES as DASHBOARD
from things.keys.policies import CASES as API_KEY
from things.pipe_scalings.policies import CASES as PIPE_SCALING
from things.postgres_services.policies import CASES as POSTGRES_SERVICE
from things.services.policies import CASES as SERVICE

RESOURCE_CASES: list[Case] = [
    *ACCESS,
    *SERVICE,
    *POSTGRES_SERVICE,
    *API_KEY,
    *PIPE_SCALING,
    *DASHBOARD,
    *ALERT,
    *INPUTS,
]
STACK_CASES: list[StackCase] = STACK
