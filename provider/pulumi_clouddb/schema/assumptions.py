"""Assumptions: what this package believes of servers, without being able to prove it in its own tests.

An assumption is a constant of the module that relies on it. Its name is that of the constant in lower case, and a probe
of that name in tests/acceptance/probes shows on a real server whether it holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Server = Literal["cloud", "observability"]
"""The cloud with the observability servers of its services, or a self-hosted observability server."""

CLOUD_ONLY: tuple[Server, ...] = ("cloud",)
SELF_HOSTED_ONLY: tuple[Server, ...] = ("observability",)
ALL: tuple[Server, ...] = (*CLOUD_ONLY, *SELF_HOSTED_ONLY)

DESCRIBED = "the vendor's description"
MEASURED = "measured on the observability server 2.36.0"
TERRAFORM = "the vendor's Terraform provider 3.25.3"
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
