"""Seeds that have found something. Each is played again with every run of the tests.

A seed means the life that `lives.plan_of` draws for it: whoever changes what is drawn looks for new seeds, with
`make simulate` and `python -m simulation.mutants`.
"""

from __future__ import annotations

from collections.abc import Mapping

KEPT: Mapping[int, str] = {
    0: "an engine died before it wrote a key into state",
    9: "two stacks created dashboards of one name at once",
    11: "a colleague had a key of the same name",
    13: "a request was carried out after its client gave up",
    195: "a colleague changed a pipe between two attempts to scale it",
    302: "a list answered 404 while a service was deleted",
    19: "after a person deleted its lost dashboard, a stack took the equal one of another stack",
    101: "two stacks held one dashboard: each took it for what its own lost create had made",
    104: "a stack took the dashboard that another one created while the first one's create was lost",
    1542: "two stacks died while they created equal dashboards, and the first took the second one's",
    9310: "a stack reset the password of a service that another one had created when its process died",
    10274: "a schedule that an update deleted stayed in state when the look at the service after it failed",
    16388: "what a pipe had was forgotten when a second, changed attempt to scale it was lost",
    19444: "a password reset was carried out after the next one, whose password was in state",
}
"""What happens in lives that went wrong once."""

WAYS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "a dashboard that another stack had seen before its own create was left behind as if that create had made it": (
        "neutral board, two stacks",
        (0, 0, 0, 5, 1, 1),
    ),
    "the same, when the other stack's create was lost before the server": (
        "neutral board, two stacks",
        (0, 0, 0, 1, 0, 1, 0, 0, 3, 1),
    ),
}
"""Ways through a case of `exhaustive.CASES` that went wrong once, by what happened there: its name, and the choices."""

FINDS: Mapping[str, int] = {
    "what no response shows counts as equal": 1267,
    "others of the same name are ignored": 11,
    "stacks share records": 9,
    "a name is evidence": 11,
    "a record is forgotten when the create returns": 0,
    "the answer to a registration settles it": 39,
    "the end of a run settles nothing": 36,
    "404 of a list means gone": 929,
    "one look": 13,
    "state is the wish": 68,
    "what the first attempt found counts": 195,
    "another machine is not recognized": 17,
    "the answer of another process counts however old it is": 186,
    "a port that is answered as 5432.0 is another one": 14,
    "the tables of a pipe are those that state has": 4282,
}
"""A seed that finds it, for each of `mutants.MUTANTS`."""
