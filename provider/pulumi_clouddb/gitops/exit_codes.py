"""The exit codes of `clouddb ci`, in one place for commands, help and reports."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command of `clouddb ci` ended; `meaning` says it in words."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Attach the meaning to the number."""
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code

    OK = 0, "done, or nothing to do; preview: also with changes, unless --expect-no-changes"
    FAILED = 1, "Pulumi, the program or a server failed"
    USAGE = 2, "the command line is wrong, or a file that it names is not there or not readable"
    CHANGES = 3, "preview --expect-no-changes: there are changes"
    POLICY = 4, "a mandatory policy is violated"
    MOVED = 5, "apply: something has changed since the plan was made; nothing is applied that was not planned"
    DRIFT = 6, "drift: live objects differ from the state, and were not repaired"

    @property
    def outcome(self) -> str:
        """The word for it in reports: the name in small letters, such as `failed`."""
        return self.name.lower()


def exit_codes_help() -> str:
    """Return the list of all codes for `--help`, a line each."""
    return "Exit codes:\n\n" + "\n\n".join(f"{code.value}  {code.meaning}" for code in ExitCode)
