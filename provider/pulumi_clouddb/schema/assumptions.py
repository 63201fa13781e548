"""Assumptions: what this package believes of servers, without being able to prove it in its own tests.

An assumption is a constant in assumptions.py of the folder that relies on it; the sandbox's are with their thing. Its
name is that of the constant in lower case, and a probe of that name in tests/acceptance/probes shows on a real server
whether it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

Server = Literal["cloud", "observability"]
"""The cloud with the observability servers of its services, or a self-hosted observability server."""

CLOUD_ONLY: tuple[Server, ...] = ("cloud",)
SELF_HOSTED_ONLY: tuple[Server, ...] = ("observability",)
ALL: tuple[Server, ...] = (*CLOUD_ONLY, *SELF_HOSTED_ONLY)

DESCRIBED = "the vendor's description"
MEASURED = "measured on the observability server 2.36.0"
TERRAFORM = "the vendor's Terraform provider 3.25.3"
AUTUMN = "the vendor's description of autumn 2026"
INFERRED = "inferred; no source"


@dataclass(frozen=True)
class Assumption:
    """A belief about servers.

    Attributes:
        claim: What they do, as a sentence in the present tense.
        source: Where that is described or was seen.
        servers: The servers of which it is believed.
        of_interface: Whether it is believed of every server of the interface, and not only of the vendor's.
    """

    claim: str
    source: str
    servers: tuple[Server, ...]
    of_interface: bool = False


measured = partial(Assumption, source=MEASURED, servers=ALL)
described = partial(Assumption, source=DESCRIBED, servers=CLOUD_ONLY)
inferred = partial(Assumption, source=INFERRED, servers=CLOUD_ONLY)
"""Declare an assumption of a usual source about the servers that it mostly is about."""

CLOUD_ACCEPTS_TEN_REQUESTS_IN_TEN_SECONDS = Assumption(
    "The cloud accepts 10 requests of a key in a window of 10 seconds.",
    "the documentation of the cloud API (api-overview.md)",
    CLOUD_ONLY,
    of_interface=True,
)
STACK_ACCEPTS_HUNDRED_REQUESTS_IN_A_MINUTE = measured(
    "A self-hosted server accepts 100 requests of a token in a minute, and each response has the limit.",
    servers=SELF_HOSTED_ONLY,
    of_interface=True,
)
NAMES_ARE_TRIMMED = measured("Names of webhooks and of saved searches are stored without white space around them.")
TEXTS_ARE_COUNTED_IN_UTF16 = measured("Limits on the length of texts count units of UTF-16, of which an emoji has two.")
SELECTED_VALUES_GET_A_LANGUAGE = measured(
    "A selected value without a condition or a language is returned with an empty condition in Lucene."
)
TIMES_HAVE_MILLISECONDS = measured("Times are stored with milliseconds, as in JavaScript; further digits are cut off.")
