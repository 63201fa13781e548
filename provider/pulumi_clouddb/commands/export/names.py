"""Names of resources in their stack, and of the variables that hold them."""

from __future__ import annotations

import builtins
import itertools
import keyword
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

LONGEST = 50
"""Characters of a name that is made of an object's own."""

_ECMASCRIPT = (
    "abstract any arguments as async await boolean break case catch class const constructor continue debugger declare "
    "default delete do else enum eval export extends false finally for from function get if implements import in "
    "infer instanceof interface is keyof let module namespace never new null number object of package private "
    "protected public readonly require return set static string super switch symbol this throw true try type typeof "
    "undefined unique unknown var void while with yield exports global globalThis process NaN Infinity"
)
_OURS = ("pulumi", "clouddb", "config", "cast", "Any")

RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *_ECMASCRIPT.split(), *_OURS})
"""What no variable is called, in any language."""


def camel(name: str) -> str:
    """Return a name in snake_case as TypeScript and YAML write it."""
    return re.sub(r"_+([a-z0-9])", lambda found: found[1].upper(), name)


def slug(text: str) -> str:
    """Return a text as the name of a resource: small letters, digits and hyphens; empty if it has none of them."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if len(name) <= LONGEST:
        return name
    cut = name[: LONGEST + 1]
    return (cut.rpartition("-")[0] if "-" in cut else cut[:LONGEST]).strip("-")


def resource_names(wanted: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each object of one kind, each its own.

    Args:
        wanted: The name that it would like, and a word to tell it from others of that name; either may be empty.
    """
    count = Counter(name for name, _ in wanted)
    longer = [f"{word}-{name}" if count[name] > 1 and word else name for name, word in wanted]
    found: dict[str, None] = {}
    for name in longer:
        # A number that is a name of its own is left to that.
        free = (each for each in _numbered(name, "-") if each not in found and (each == name or each not in longer))
        found[next(free)] = None
    return list(found)


def _numbered(name: str, mark: str) -> Iterator[str]:
    """Yield a name, and the same with a number behind it, for where it is taken."""
    yield name
    yield from (f"{name}{mark}{number}" for number in itertools.count(2))


class Variables:
    """Names of variables, each its own in every language that writes it in its own case."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, name: str, kind: str) -> str:
        """Return a variable in snake_case for the resource of a name and kind, and keep it for that."""
        base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        if not base or base[0].isdigit():
            base = f"{kind}_{base}".rstrip("_")
        if self._is_taken(base) and not base.endswith(kind):
            base = f"{base}_{kind}"
        return self._kept(_numbered(base, "_"))

    def setting(self, variable: str, wire: str) -> str:
        """Return the key of a setting for a property of a resource, and keep it."""
        base = camel(f"{variable}_{re.sub(r'(?<!^)(?=[A-Z])', '_', wire).lower()}")
        return self._kept(_numbered(base, ""))

    def _kept(self, candidates: Iterator[str]) -> str:
        """Return the first name that is free, and keep it."""
        found = next(each for each in candidates if not self._is_taken(each))
        self._taken.add(_folded(found))
        return found

    def _is_taken(self, name: str) -> bool:
        return _folded(name) in self._taken or name in RESERVED or camel(name) in RESERVED


def _folded(name: str) -> str:
    return name.replace("_", "").lower()
