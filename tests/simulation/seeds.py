"""Seeds of lives that found a bug. The tests run each of them.

A seed stands for the life that `lives.plan_of` draws for it. After a change of the drawing, find new seeds with
`make simulate` and `python -m simulation.mutants`.
"""

from __future__ import annotations

from collections.abc import Mapping

KEPT: Mapping[int, str] = {
    0: "an engine died before it wrote a key into state",
    9: "two stacks created dashboards of the same name concurrently",
    11: "another user had a key of the same name",
    13: "a request was carried out after its client gave up",
    195: "another user changed a pipe between two attempts to scale it",
    302: "a list returned 404 while a service was deleted",
    19: "after a user deleted its lost dashboard, a stack adopted the equal one of another stack",
    101: "two stacks adopted the same dashboard as the result of their own lost creates",
    104: "a stack whose create was lost adopted the dashboard that another stack created meanwhile",
    1542: "two stacks died while they created equal dashboards, and the first adopted the second one's",
    9310: "a stack reset the password of a service that another stack's process had created before its death",
    10274: "a deleted schedule stayed in state when the read after the update failed",
    17375: "tables were added to a pipe twice, since an update with credentials was sent again after a lost response",
    16388: "the original scaling of a pipe was lost when a second, changed attempt to scale it was lost",
    19444: "a late password reset invalidated the password in state",
    7100953: "one run refused two services that were removed from state, and only the advice of one was followed",
    7105786: "a 429 of the address where the code of a function goes was not waited for",
    7300312: "an update stayed in doubt after the version with its code was found",
}
"""The bug that each seed found."""

KEPT_CHOICES: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "a stack left its dashboard behind, because another stack had listed it before its own create": (
        "neutral board, two stacks",
        (0, 0, 0, 5, 1, 1),
    ),
    "the same, with a create of the other stack that was lost before the server": (
        "neutral board, two stacks",
        (0, 0, 0, 1, 0, 1, 0, 0, 3, 1),
    ),
}
"""Choices in a case of `exhaustive.CASES` that found a bug, by the bug: the name of the case, and the choices."""

FOUND_BY: Mapping[str, int] = {
    "an update in doubt is forgotten": 573,
    "hidden properties count as equal": 1267,
    "other creates of the same name are ignored": 11,
    "stacks share records": 9,
    "a name is evidence": 11,
    "a pending create is removed when the create returns": 0,
    "the response to a registration settles a create": 39,
    "the end of a run settles no create": 110,
    "404 for a list means gone": 929,
    "one list is enough": 13,
    "state is the wanted value": 13,
    "the values before the first attempt are restored": 195,
    "marks of other machines are ignored": 17,
    "a list of another process is used, however old": 186,
    "the port 5432.0 differs from 5432": 14,
    "the tables of a pipe are those in state": 832,
    "the state of a replaced object settles the create of its successor": 1351,
}
"""A seed that finds it, for each bug of `mutants.MUTANTS`."""
