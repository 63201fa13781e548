"""The report of a run in Markdown, as docs/real-servers.md can contain it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from statistics import median

from pulumi_clouddb.schema.config import MANAGEMENT_LIMIT, SELF_HOSTED_LIMIT

from .account import Account, Kind
from .lives import Played
from .observed import Observed
from .subject import Step

PASSED, FAILED = "✓", "✗"


def lines(
    account: Account,
    lives: Sequence[Played],
    observed: Observed,
    sections: Mapping[str, Sequence[str]],
    left: Sequence[str],
    day: date,
) -> Iterator[str]:
    """Yield the lines of the report.

    Args:
        account: Where the run was.
        lives: The results of the lives.
        observed: What the proxy observed.
        sections: The lines of further sections by title, such as the assumptions.
        left: What the run could not delete or restore.
        day: When the run was.
    """
    played = [each for each in lives if not each.skipped]
    faulty = [each for each in played if not each.passed]
    yield f"## {account.kind.value.capitalize()}, {day.isoformat()}"
    yield ""
    yield f"{len(played)} lives in the {account.dialect.value} dialect, {len(faulty)} with problems."
    yield ""
    yield from _steps(played)
    yield from _listed("Problems", [line for each in faulty for line in _problems(each)])
    skipped = [f"{each.subject.name}: {each.skipped}" for each in lives if each.skipped]
    yield from _listed("Skipped", list(dict.fromkeys(skipped)))
    for title, texts in sections.items():
        yield from ["", f"### {title}", "", *texts]
    yield from _durations(played, observed)
    yield from _limit(account, observed)
    yield from _listed("Left on the server", left)


def without_credentials(text: str, account: Account) -> str:
    """Return a text without the credentials of the account."""
    for each in filter(None, account.credentials):
        text = text.replace(each, "***")
    return text


def _steps(played: Sequence[Played]) -> Iterator[str]:
    """Yield the table of objects and steps; a cell is of all front ends, or names those with problems."""
    rows: dict[str, list[Played]] = defaultdict(list)
    for each in played:
        rows[each.subject.name].append(each)
    steps = [step for step in Step if any(step in each.problems for each in played)]
    yield "| Object | " + " | ".join(step.value for step in steps) + " |"
    yield "|---" * (len(steps) + 1) + "|"
    for name, lives in rows.items():
        yield f"| {name} | " + " | ".join(_cell(lives, step) for step in steps) + " |"


def _cell(lives: Sequence[Played], step: Step) -> str:
    reached = [each for each in lives if step in each.problems]
    faulty = [each.front_end for each in reached if each.problems[step]]
    if faulty:
        return f"{FAILED} {', '.join(faulty)}"
    return PASSED if reached else ""


def _problems(life: Played) -> Iterator[str]:
    for step, problems in life.problems.items():
        for each in problems:
            yield f"{life.subject.name}, {life.front_end}, {step.value}: " + " ".join(each.split())


def _listed(title: str, texts: Sequence[str]) -> Iterator[str]:
    if texts:
        yield from ["", f"### {title}", ""]
        yield from (f"- {each}" for each in texts)


def _durations(played: Sequence[Played], observed: Observed) -> Iterator[str]:
    """Yield how long steps took, with their waits, and how long lists did not show new objects."""
    shown = (Step.CREATE, Step.UPDATE, Step.DELETE)
    seconds: dict[str, dict[Step, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in played:
        for step in shown:
            if step in each.seconds:
                seconds[each.subject.resource][step].append(each.seconds[step])
    yield from ["", "### Times", "", "Median seconds of a step with its waits, and lists without a new object.", ""]
    yield "| Resource | " + " | ".join(step.value for step in shown) + " |"
    yield "|---" * (len(shown) + 1) + "|"
    for resource, by_step in seconds.items():
        yield f"| {resource} | " + " | ".join(f"{median(by_step[s]):.1f}" if by_step[s] else "" for s in shown) + " |"
    yield from [
        "",
        "| List | creates | without the new object at first | longest lag in seconds |",
        "|---|---|---|---|",
    ]
    for name, lags in sorted(observed.lags.items()):
        late = [lag for misses, lag in lags if misses]
        yield f"| {name} | {len(lags)} | {len(late)} | {max(late, default=0.0):.1f} |"


def _limit(account: Account, observed: Observed) -> Iterator[str]:
    limit = MANAGEMENT_LIMIT if account.kind is Kind.CLOUD else SELF_HOSTED_LIMIT
    yield from ["", "### Rate limit", ""]
    yield f"{observed.requests} requests, at most {observed.most_in(limit.seconds)} in {limit.seconds:g} seconds;"
    yield f"the published limit is {limit.requests}. {observed.limited} responses were 429."
    named = ", ".join(f"`{name}`" for name in sorted(observed.headers))
    yield f"Headers: {named}." if named else "No response had headers of a rate limit."
