"""Why a figure is more than twice its floor: a sentence for each kind of figure, which docs/measurements.md shows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .figure import Figure

FAR = 2.0
"""The ratio to the floor from which a figure needs a sentence."""

REASONS: Mapping[str, Mapping[str, str]] = {
    "requests": {
        r"destroy .* services: time": "Pulumi's host of dynamic providers deletes four services at a time, and each of "
        "them waits for polls 7 seconds apart: one after its stop, and two lists without it after its deletion.",
    },
    "fleets": {
        r".* machines .*: requests": "Machines share no polls, and are refused before they learn of each other.",
        r".* machines .*: time": "Machines learn of each other only by refusals, and then wait for a share.",
    },
    "start": {
        r"pulumi preview of .*": "A command in YAML starts the plugin twice, since Pulumi asks a second one for the "
        "schema, and each loads gRPC; the one that checks resources loads pydantic and the models of their kinds, too.",
        r"provider in a preview of .*": "The provider loads pydantic and builds the models of the kinds that the "
        "program has, once for each process.",
        r"clouddb --\w+": "Python alone starts in a hundredth of a second; the rest is the import of typer and of the "
        "commands' names.",
        r"plugin until its port: .*": "The plugin loads gRPC and Pulumi's stubs, as its floor does.",
        r"import of a program": "The classes of the resources and of their nested types are declared.",
    },
    "cpu": {
        r"(create|delete) a service": "A create and a deletion wait, and each poll that meanwhile lists all services "
        "counts; a create also writes and removes its record on disk.",
        r"create an? (?!service).*": "Before the request, the provider writes a record on disk, by which a later run "
        "finds the object if the response is lost, and compares the existing objects with it.",
        r"check .*": "A provider that does nothing returns the inputs unread; a check validates each value, and fills "
        "in the defaults.",
        r"diff .*": "State and inputs are validated, and compared by their meaning, value by value.",
        r"read .*": "State and response are validated, and compared by their meaning, so that no spelling of the "
        "server is drift.",
        r"update .*": "The whole object is built from state, inputs and what the server has in addition, and the "
        "response is compared with it.",
        r"delete an? (?!service).*": "A deletion reads the state, and looks at whether this run needs the object.",
        r"most memory": "The models of the things and the shared lists are in memory as long as the process.",
    },
    "calls": {
        r"list services": "Each record is read into a model, and the request waits for its turn within the limit.",
        r"(check|diff|read) .*": "An empty call carries no inputs and no state, which these decode, validate, compare "
        "and encode.",
        r".* creations .*": "Both do their work in one process of Python, which runs one thread at a time.",
    },
    "growth": {
        r"up.*": "A create costs several times a bare request (see the table of calls), and a provider that does "
        "nothing sends none.",
        r"preview.*": "Each resource is checked and compared, and a provider that does nothing only returns it.",
        r"refresh.*": "One list is read for all dashboards, and each is compared with its state.",
        r"destroy.*": "Each deletion sends a request, and a provider that does nothing sends none.",
        r"most memory": "The shared list of the server's dashboards is in memory as long as the process.",
    },
    "cli": {
        r"(up|preview|refresh|destroy): .*": "The provider's part is that of the table before; the time of the dynamic "
        "mode is that of four operations at a time.",
    },
    "state": {
        r".*": "A dynamic resource stores its provider, and under which URN it is registered; a small object is "
        "smaller than these.",
    },
    "policy": {
        r".*the stack as a whole": "pulumi-policy reads all resources again for each policy of a stack.",
        r".*": "The rules read every property of every resource, and an empty pack reads none.",
    },
}
"""For each part, the sentence for figures whose names match a pattern; the first one applies."""


def reason(figure: Figure) -> str | None:
    """Return why a figure is far from its floor; empty without a sentence, None if it is not far."""
    if figure.ratio is None or figure.ratio <= FAR:
        return None
    sentences = REASONS.get(figure.part, {}).items()
    return next((sentence for pattern, sentence in sentences if re.fullmatch(pattern, figure.name)), "")
