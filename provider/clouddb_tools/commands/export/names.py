"""Names of resources and of their variables."""

from __future__ import annotations

import builtins
import itertools
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic.alias_generators import to_snake

LONGEST = 50
"""Maximum length of a resource name that is derived from an object's name."""

_ECMASCRIPT = (
    "abstract any arguments as async await boolean break case catch class const constructor continue debugger declare "
    "default delete do else enum eval export extends false finally for from function get if implements import in "
    "infer instanceof interface is keyof let module namespace never new null number object of package private "
    "protected public readonly require return set static string super switch symbol this throw true try type typeof "
    "undefined unique unknown var void while with yield exports global globalThis process NaN Infinity"
)
_OURS = ("pulumi", "clouddb", "config", "cast", "Any")

RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_ECMASCRIPT.split(), *_OURS})
"""Names that are not used for variables, in any language."""


@dataclass(frozen=True)
class Wish:
    """The preferred name of a resource.

    Attributes:
        name: The name; empty if it is derived from the object.
        group: The name of all objects from one `for_each` of Terraform; empty without one.
        key: The key of the object in it.
    """

    name: str = ""
    group: str = ""
    key: str = ""


NO_WISH = Wish()


def plural(name: str) -> str:
    """Return the plural of a name; that of a plural is the same."""
    if name.endswith("s"):
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("ch", "sh", "x")) else f"{name}s"


def camel(name: str) -> str:
    """Convert a name from snake_case to camelCase."""
    return re.sub(r"_+([a-z0-9])", lambda found: found[1].upper(), name)


def usual_name(kind: str) -> str:
    """Return the name of a resource in a program if nothing else names it, such as `pipe-scaling`."""
    return to_snake(kind).replace("_", "-")


def slug(text: str) -> str:
    """Convert a text to a resource name of lower-case letters, digits and hyphens; may be empty."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(name) <= LONGEST:
        return name
    cut = name[: LONGEST + 1]
    return (cut.rpartition("-")[0] if "-" in cut else cut[:LONGEST]).strip("-")


def resource_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Return unique names for the objects of one kind.

    Args:
        wanted: The preferred name of each, and a prefix for names that are not unique; either may be empty.
    """
    count = Counter(name for name, _ in wanted)
    longer = [f"{word}-{name}" if count[name] > 1 and word else name for name, word in wanted]
    found: dict[str, None] = {}
    for name in longer:
        # A numbered name may be the preferred name of another object.
        free = (each for each in _numbered(name, "-") if each not in found and (each == name or each not in longer))
        found[next(free)] = None
    return list(found)


def _numbered(name: str, mark: str) -> Iterator[str]:
    """Yield a name, then the name with the numbers from 2."""
    yield name
    yield from (f"{name}{mark}{number}" for number in itertools.count(2))


class Variables:
    """Unique names of variables, in snake_case and in camelCase."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, name: str, kind: str) -> str:
        """Reserve a variable in snake_case for a resource with a name and kind."""
        base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        if not base or base[0].isdigit():
            base = f"{kind}_{base}".rstrip("_")
        if self._is_taken(base) and not base.endswith(kind):
            base = f"{base}_{kind}"
        return self._reserve(_numbered(base, "_"))

    def setting(self, variable: str, wire: str) -> str:
        """Reserve the key of a setting for a property of a resource."""
        base = camel(f"{variable}_{re.sub(r'(?<!^)(?=[A-Z])', '_', wire).lower()}")
        return self._reserve(_numbered(base, ""))

    def _reserve(self, candidates: Iterator[str]) -> str:
        """Reserve the first free name."""
        name = next(each for each in candidates if not self._is_taken(each))
        self._taken.add(_folded(name))
        return name

    def _is_taken(self, name: str) -> bool:
        return _folded(name) in self._taken or name in RESERVED or camel(name) in RESERVED


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
