"""The assumptions that the code declares, with what their probes find out on an account."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from acceptance import probes
from acceptance.account import Account
from acceptance.bench import UNEXPECTED, Bench, NotMadeError, Probe, RefusedError
from acceptance.declared import PROBES
from acceptance.outcome import Differs, Holds, NotProbed, Outcome
from codegen.assumptions import Declared, declared

OF_VENDOR = "it is believed of the vendor's servers only"

MOST_WORDS = 300
"""The most characters of what a server returned in one row."""


@dataclass(frozen=True)
class Row:
    """An assumption, and what its probe found out."""

    declared: Declared
    outcome: Outcome

    @property
    def name(self) -> str:
        """The name of the assumption."""
        return self.declared.name

    @property
    def words(self) -> str:
        """The outcome in words."""
        if isinstance(self.outcome, Differs):
            return f"differs: {self.outcome.how[:MOST_WORDS]}"
        return f"not probed: {self.outcome.why[:MOST_WORDS]}" if isinstance(self.outcome, NotProbed) else "holds"


def probes_by_name() -> dict[str, Probe]:
    """Return the probes: the public functions of the modules in probes/, and those that follow from declarations."""
    return dict(PROBES) | {
        name: probe
        for module in _modules()
        for name, probe in inspect.getmembers(module, inspect.isfunction)
        if probe.__module__ == module.__name__ and not name.startswith("_")
    }


def _modules() -> Iterator[Any]:
    for info in pkgutil.iter_modules(probes.__path__, f"{probes.__name__}."):
        yield importlib.import_module(info.name)


def probed(account: Account, needs: Mapping[str, Any] | None = None) -> list[Row]:
    """Probe all assumptions about the servers of an account, and delete what that made.

    Args:
        account: The account.
        needs: What only an account can give: `place`, `invite`, `kafka`, `postgres_service`.
    """
    bench, found = Bench(account, needs), probes_by_name()
    wanted: Sequence[Declared] = [each for each in declared() if account.kind.value in each.assumption.servers]
    try:
        return [Row(each, _outcome(bench, each, found)) for each in wanted]
    finally:
        bench.close()


def _outcome(bench: Bench, each: Declared, found: Mapping[str, Probe]) -> Outcome:
    """Return what the probe of an assumption finds out, if it is believed of the server."""
    if not bench.is_vendor and not each.assumption.of_interface:
        return NotProbed(OF_VENDOR)
    return outcome_of(bench, found[each.name])


def outcome_of(bench: Bench, probe: Probe) -> Outcome:
    """Return what a probe finds out, and delete what it made."""
    try:
        with bench.probing():
            return probe(bench)
    except RefusedError as error:
        return Differs(str(error))
    except NotMadeError as error:
        return NotProbed(str(error))
    except httpx.HTTPError as error:
        return NotProbed(f"{type(error).__name__}: {error}")
    except UNEXPECTED as error:
        return Differs(f"a response has another form: {type(error).__name__}: {error}")


def table_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table in Markdown for the report of a run: what differs first, then what was not probed."""
    count = Counter(type(each.outcome) for each in rows)
    yield f"{count[Holds]} hold, {count[Differs]} differ, {count[NotProbed]} were not probed."
    yield ""
    yield "| Assumption | Probe | Outcome |"
    yield "|---|---|---|"
    order = (Differs, NotProbed, Holds)
    for each in sorted(rows, key=lambda row: order.index(type(row.outcome))):
        claim = each.declared.assumption.claim.removesuffix(".")
        yield f"| {claim} | `{each.name}` | {' '.join(each.words.split()).replace('|', chr(92) + '|')} |"
