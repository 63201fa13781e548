"""Errors of operations on a project."""


class NoProjectError(Exception):
    """The folder is not a Pulumi project."""


class CommandFailedError(Exception):
    """A command of the pulumi CLI failed, or a report cannot be written; the text is for the user."""
