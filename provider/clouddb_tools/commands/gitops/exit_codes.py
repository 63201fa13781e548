"""The exit codes of `clouddb ci`."""

from __future__ import annotations

from clouddb_tools.commands.exit_codes import MeaningfulCode


class ExitCode(MeaningfulCode):
    """The exit codes of `clouddb ci`."""

    OK = 0, "done, or nothing to do; preview: also with changes, unless --expect-no-changes"
    FAILED = 1, "Pulumi, the program or a server failed"
    USAGE = 2, "the command line is wrong, or a file on it is missing or not readable"
    CHANGES = 3, "preview --expect-no-changes: there are changes"
    POLICY = 4, "a mandatory policy is violated"
    MOVED = 5, "apply: something has changed since the plan was made; only planned changes are applied"
    DRIFT = 6, "drift: live objects differ from the state, and were not repaired"
