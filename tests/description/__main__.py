"""Compares an OpenAPI description with the facts that are kept of it: `make description FROM=FILE_OR_ADDRESS`.

Ends with 1 if the description has changed, and with 2 if it cannot be read.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from pydantic import ValidationError
from rich.console import Console

from .accounts import RuleChange, accounts, counted, rule_changes, without_variants
from .changes import ADDED, REMOVED, Change, changes
from .facts import CLOUD, OBSERVABILITY, Facts, kept, plain, read
from .here import MISSING, Coverage, Owner, coverage_of, file_of_fields, file_of_values, limits_at, owner_of_all, used
from .limits import COMPARED
from .overlay import OVERLAY, PERMISSIONS, Entry
from .places import Place
from .sentences import sentences
from .sources import rules_at

MANAGED_PREFIX = "/v1/"
BODIES = ("request", "response")
NOT_MANAGED = "tools/codegen/not_managed.py"
ASKED = {
    ("required", ADDED): "every request must have it",
    ("required", REMOVED): "requests may leave it out",
    ("nullable", ADDED): "requests may have null, which often clears it",
    ("nullable", REMOVED): "no request may have null",
}
"""What a mark asks of a request that is sent here."""
COMPARE = "delete the entry, or if servers still do what it states, keep it without `adds`"

UNCHANGED, NEW, UNREADABLE = 0, 1, 2
SECONDS = 60


def file_of(facts: Facts) -> Path:
    """Return the file that keeps the facts of this server: the paths of the cloud's begin with its version."""
    managed = any(name.partition(" ")[2].startswith(MANAGED_PREFIX) for name in facts.operations)
    return CLOUD if managed else OBSERVABILITY


def document(source: str) -> dict[str, Any]:
    """Return the description in a file or at an address."""
    if not source.startswith(("http://", "https://")):
        return dict(json.loads(Path(source).read_text(encoding="utf-8")))
    response = httpx.get(source, timeout=SECONDS, follow_redirects=True)
    return dict(response.raise_for_status().json())


def advice(change: Change, owner: Owner) -> str:
    """Return what a change asks for here."""
    operations = {plain(each.operation) for each in change.places}
    if operations.isdisjoint(used()):
        if change.what == "operation" and change.kind != REMOVED:
            return f"declare it in {owner.api}, or give the reason in {NOT_MANAGED}"
        stated = change.what in ("operation", "deprecated") and {each.part for each in change.places} == {"operation"}
        return "nothing here uses the operation" + (f": compare its reason in {NOT_MANAGED}" if stated else "")
    if change.what == "operation":
        return f"used here: see {owner.api}" if change.kind == REMOVED else f"has a use already: see {owner.api}"
    if change.what == "permission":
        return "keep the facts (WRITE=1) and run make generate: messages name the permissions"
    if change.what in ("status", "content") or {each.part for each in change.places}.isdisjoint(BODIES):
        return f"see {owner.api}"
    owner = replace(owner, file=file_of_fields(change.places, owner))
    if change.what in ("required", "nullable") and any(each.part == "request" for each in change.places):
        return f"{ASKED[change.what, change.kind]}: see {owner.file}"
    if change.what in COMPARED and any(each.part == "request" for each in change.places):
        return _limit(change, owner)
    found = {each for place in change.places for each in _coverage(change, place)}
    if Coverage.READ in found:
        found.discard(Coverage.NOT_READ)  # of another operation, whose response has it, too
    return _declaration(change, found, owner) if found else f"compare with {owner.file}"


def _declaration(change: Change, found: set[Coverage | str], owner: Owner) -> str:
    """Return what must be declared of an added property or value, and what is still declared of a removed one."""
    if change.kind == REMOVED:
        declared = not found.isdisjoint({Coverage.SENT, Coverage.READ})
        return f"{_words(found)}: see {owner.file}" if declared else "nothing here declares it"
    if found.isdisjoint(MISSING):
        return _words(found)
    lists = [file_of_values(each) for each in change.places if each.part == "request" and change.what == "member"]
    return f"{_words(found)}: declare it in {next(filter(None, lists), owner.file)}"


def _limit(change: Change, owner: Owner) -> str:
    """Return how a limit of a request is declared here, if a change asks for something."""
    here = {limit for place in change.places if place.part == "request" for limit in limits_at(place, change.what)}
    if here == ({float(change.after)} if change.after else set()):
        return "it is declared so" if here else "nothing here declares it"
    return f"declared here: {', '.join(f'{each:.15g}' for each in sorted(here)) or 'none'}; compare with {owner.file}"


def _coverage(change: Change, place: Place) -> set[Coverage | str]:
    """Return whether a property or a value is sent or read; empty for other changes."""
    if change.what not in ("property", "member") or place.part not in BODIES:
        return set()
    return coverage_of(place, change.before or change.after if change.what == "member" else None)


def _words(found: set[Coverage | str]) -> str:
    return "; ".join(sorted(each.value if isinstance(each, Coverage) else each for each in found))


def as_json(change: Change) -> dict[str, Any]:
    """Return a change for machines."""
    owner = owner_of_all(each.operation for each in change.places)
    places = [
        {"operation": each.operation, "part": each.part, "path": each.path, "here": _words(_coverage(change, each))}
        for each in change.places
    ]
    facts = {"kind": change.kind, "what": change.what, "before": change.before, "after": change.after}
    stated = {"resources": owner.name, "advice": advice(change, owner), "stated": _stated(change.origin)}
    return {**facts, "places": places, **stated}


def _stated(*origins: str) -> list[str]:
    """Return the rules of check that the changed places state."""
    return rules_at(*map(without_variants, origins))


def show(found: list[Change], console: Console) -> None:
    """Print changes by the resource that they concern."""
    by_owner: dict[Owner, list[Change]] = defaultdict(list)
    for each in found:
        by_owner[owner_of_all(place.operation for place in each.places)].append(each)
    for owner in sorted(by_owner, key=lambda each: each.name):
        console.print(f"\n[bold]{owner.name}[/bold]  {owner.file}", highlight=False)
        for change in sorted(by_owner[owner], key=lambda each: (_where(each), str(each))):
            console.print(f"  {_where(change)}: {change}", highlight=False, markup=False)
            for line in (advice(change, owner), *(f"states: {rule}" for rule in _stated(change.origin))):
                console.print(f"    {line}", style="dim", highlight=False, markup=False)


def rule_as_json(change: RuleChange, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return a changed rule sentence for machines; of a removed one, only the digest is known."""
    account = change.account
    return {
        "kind": change.kind,
        "digest": change.digest,
        "text": texts.get(change.digest, ""),
        "places": [*account.places],
        "resources": sorted(account.resources),
        "here": str(account),
        "before": [*map(str, change.before)],
        "stated": _stated(*account.places),
    }


def show_rules(found: Iterable[RuleChange], texts: Mapping[str, str], console: Console) -> None:
    """Print the changed rule sentences, with what becomes of them."""
    for each in found:
        of = ", ".join(sorted(each.account.resources)) or "no resource"
        console.print(f"\n{each.account.places[0]}, {of}: {each.kind} rule {each.digest}", highlight=False)
        console.print(f"  {texts.get(each.digest, 'its text is not kept')}", highlight=False, markup=False)
        before = (f"the one before was {account}" for account in each.before)
        for line in (f"{each.account}", *before, *(f"states: {rule}" for rule in _stated(*each.account.places))):
            console.print(f"    {line}", style="dim", highlight=False, markup=False)


def covered(file: Path, facts: Facts) -> list[Entry]:
    """Return the entries of the overlay that the facts have."""
    return [each for each in OVERLAY if each.file == file and each.is_described(facts)]


def otherwise(file: Path, before: Facts, facts: Facts) -> list[Entry]:
    """Return the entries of the overlay that hide what the facts have now: in a place without facts, or of others."""
    of_file = [each for each in OVERLAY if each.file == file]
    return [each for each in of_file if each.is_described_otherwise(facts) or each.hides(before, facts)]


def moved(file: Path, facts: Facts) -> dict[str, list[str]]:
    """Return the entries of the overlay whose place is gone, each with the places that have its name now."""
    gone = [each for each in OVERLAY if each.file == file and not each.has_place(facts)]
    return {each.name: [*each.like_it(facts)] for each in gone}


def _home(name: str) -> str:
    """Return the file with an entry of the overlay."""
    return PERMISSIONS.name if name.endswith(".permissions") else "overlay.py"


def _where(change: Change) -> str:
    """Return the place with the shortest path, and in which operations it is."""
    place = min(change.places, key=lambda each: (len(each.steps), each.operation, each.part))
    operations = len({each.operation for each in change.places})
    more = f" and {operations - 1} more" if operations > 1 else ""
    path = f"{place.path} in " if place.path else ""
    part = f", {place.part}" if place.part in BODIES else ""
    return f"{path}{place.operation}{more}{part}"


def main(
    source: Annotated[str, typer.Argument(help="A file or an address with an OpenAPI description.")],
    write: Annotated[bool, typer.Option("--write", help="Keep the new facts.")] = False,
    machine: Annotated[
        bool,
        typer.Option("--json", help="Print the report as JSON."),
    ] = False,
) -> None:
    """Print what has changed in a description, and what that means here."""
    console = Console(soft_wrap=True)
    try:
        new = read(whole := document(source))
    except (OSError, ValueError, ValidationError, httpx.HTTPError) as error:
        print(f"{source} is no OpenAPI description that can be read: {error}", file=sys.stderr)
        raise typer.Exit(UNREADABLE) from None
    file = file_of(new)
    before = kept(file) if file.exists() else Facts("", {}, {})
    found = changes(before, new)
    needless, gone = [each.name for each in covered(file, new)], moved(file, new)
    differing = [each.name for each in otherwise(file, before, new)]
    rules, texts = [*rule_changes(before, new)], dict(chain.from_iterable(map(dict.items, sentences(whole).values())))
    if machine:
        overlay = {"overlay": needless, "otherwise": differing, "moved": gone}
        of_rules = {"rules": [rule_as_json(each, texts) for each in rules]}
        print(json.dumps({"changes": [as_json(each) for each in found], **of_rules, **overlay}, indent=1))
    else:
        show(found, console)
        show_rules(rules, texts, console)
        for name in needless:
            console.print(f"\n{_home(name)}: {name} is described now: delete the entry", highlight=False)
        for name in differing:
            rest = COMPARE if _home(name) == "overlay.py" else "delete the entry"
            console.print(f"\n{_home(name)}: {name} is described otherwise now: {rest}", highlight=False)
        for name, now in gone.items():
            places = f"move it to {' and '.join(now)}" if now else "look for what it is now, or delete the entry"
            console.print(f"\n{_home(name)}: the place of {name} is gone: {places}", highlight=False)
        console.print(f"\n{file.name}: {counted(accounts(new))}", highlight=False)
        count = f"{len(found) + len(rules)} changes" if found or rules else "no change"
        console.print(f"\n{file.name}: {count}, {before.version} -> {new.version}", highlight=False)
    if write:
        file.write_text(new.text(), encoding="utf-8")
    raise typer.Exit(NEW if found or rules else UNCHANGED)


if __name__ == "__main__":
    typer.run(main)
