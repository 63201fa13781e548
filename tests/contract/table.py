"""All cases."""

from __future__ import annotations

from . import (
    cases_dashboards,
    cases_diffs,
    cases_faults,
    cases_functions,
    cases_lives,
    cases_scaling_and_keys,
    cases_service,
    cases_service_settings,
    cases_unknowns,
    cases_unsaid,
    cases_vendor_dashboards,
    cases_ways,
)

CASES = [
    *cases_lives.CASES,
    *cases_faults.CASES,
    *cases_service.CASES,
    *cases_service_settings.CASES,
    *cases_scaling_and_keys.CASES,
    *cases_dashboards.CASES,
    *cases_unsaid.CASES,
    *cases_vendor_dashboards.CASES,
    *cases_diffs.CASES,
    *cases_functions.CASES,
    *cases_unknowns.CASES,
    *cases_ways.CASES,
]
