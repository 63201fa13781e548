"""Cases of every rule of the pack, one file per resource: what breaks it, what keeps it, what is not known yet."""

from __future__ import annotations

from .access import CASES as ACCESS
from .alert import CASES as ALERT
from .api_key import CASES as API_KEY
from .case import Case, StackCase
from .dashboard import CASES as DASHBOARD
from .inputs import CASES as INPUTS
from .pipe_scaling import CASES as PIPE_SCALING
from .service import CASES as SERVICE
from .stack import CASES as STACK

RESOURCE_CASES: list[Case] = [*ACCESS, *SERVICE, *API_KEY, *PIPE_SCALING, *DASHBOARD, *ALERT, *INPUTS]
STACK_CASES: list[StackCase] = STACK
