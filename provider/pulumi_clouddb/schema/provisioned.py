"""The fields of things that a server works on for a while after a write, databases among them."""

from __future__ import annotations

from string import Template
from typing import Any, ClassVar, TypeVar

from pydantic.alias_generators import to_snake

from .base import Flag, Minutes, Text, extras_of
from .resource_type import in_words
from .thing import Thing, hidden, option, ours

WAIT_MINUTES = 60.0
"""How long a wait lasts by default."""


def minutes_to_wait(until: str) -> Any:
    """Declare the option with the time to wait for an object, such as "until it runs, or is gone"."""
    return option(f"Minutes to wait until {until}; zero does not wait.", unset=WAIT_MINUTES, ge=0)


class Provisioned(Thing):
    """A thing that is waited for, and that can be in state before it can be used.

    Attributes:
        READY: When a wait ends, to follow "until".
        UNREADY: The description of `lastError`.
    """

    LAST: ClassVar[tuple[str, ...]] = ("wait_timeout_minutes", "last_error")
    READY: ClassVar[str] = ""
    UNREADY: ClassVar[str] = ""

    wait_timeout_minutes: Minutes | None = minutes_to_wait("$ready")
    last_error: Text | None = ours("$unready")

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Fill the words of the class into the descriptions of the fields that it inherits."""
        super().__pydantic_init_subclass__(**kwargs)
        if not cls.READY:
            return
        words = {"ready": cls.READY, "unready": cls.UNREADY, "kind": in_words(to_snake(cls.__name__))}
        for name, info in cls.model_fields.items():
            extras = extras_of(cls, name)
            filled = Template(extras["words"]).safe_substitute(words)
            info.json_schema_extra = {"clouddb": {**extras, "words": filled}}


class Database(Provisioned):
    """A thing with data: nothing replaces or deletes it by accident."""

    LAST = ("allow_duplicate_name", "allow_replacement", "deletion_protection", *Provisioned.LAST)

    allow_duplicate_name: Flag | None = option(
        "Create the $kind even though another one has the same name.", unset=False
    )
    allow_replacement: Flag | None = option(
        "Whether a change that cannot be made in place may delete this database and create another. Otherwise the "
        "preview refuses such a change.",
        unset=False,
    )
    deletion_protection: Flag | None = option("Refuse to delete the $kind.", unset=False)
    settings_unread: Flag | None = hidden(
        "Whether the server may have settings that state lacks: the next update reads them first.",
        "__settingsUnread",
        formerly="not brought up to date",
    )


ProvisionedT = TypeVar("ProvisionedT", bound=Provisioned)
DatabaseT = TypeVar("DatabaseT", bound=Database)
