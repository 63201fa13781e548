"""All cases."""

from __future__ import annotations

from . import (
    cases_alerts,
    cases_dashboards,
    cases_faults,
    cases_functions,
    cases_languages,
    cases_lives,
    cases_pipes,
    cases_releases,
    cases_scaling_and_keys,
    cases_service,
    cases_service_settings,
    cases_stopped_service,
    cases_unknowns,
    cases_unsaid,
    cases_vendor_dashboards,
    cases_versions,
    cases_ways,
)

OF_ALL = [*cases_lives.CASES, *cases_faults.CASES, *cases_ways.CASES]
"""The behavior of every resource, and so of each operation of a front end."""

OF_ONE = [
    *cases_releases.CASES,
    *cases_unknowns.CASES,
    *cases_service.CASES,
    *cases_service_settings.CASES,
    *cases_stopped_service.CASES,
    *cases_pipes.CASES,
    *cases_scaling_and_keys.CASES,
    *cases_dashboards.CASES,
    *cases_unsaid.CASES,
    *cases_vendor_dashboards.CASES,
    *cases_versions.CASES,
    *cases_languages.CASES,
    *cases_alerts.CASES,
    *cases_functions.CASES,
]
"""The behavior of single resources, below the front ends: the quick tests play it with the plugin only.

Of the cases in which the front ends differ alike, they play the first with both.
"""

CASES = [*OF_ALL, *OF_ONE]
