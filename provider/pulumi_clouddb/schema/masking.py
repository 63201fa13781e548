"""Masks secrets in a text, but for what is public: the names of properties and settings."""

from __future__ import annotations

import functools
import re

from .base import wire_names
from .config import ProviderConfig, environment_name
from .operation_secrets import MASK
from .public_names import public_names
from .spellings import all_spellings_of, is_mistakable


def masked(text: str, secrets: frozenset[str]) -> str:
    """Return a text with `[secret]` for each of the secrets in it, in whatever spelling."""
    there = [each for each in all_spellings_of(secrets - public_names()) if each in text]
    longest_first = sorted(there, key=lambda each: (-len(each), each))
    return re.sub("|".join(map(_found_as, longest_first)), _masked, text) if there else text


def _found_as(spelling: str) -> str:
    found = re.escape(spelling)
    return rf"(?<!\w){found}(?!\w)" if is_mistakable(spelling) else found


def _masked(found: re.Match[str]) -> str:
    word = _word_around(found)
    return found[0] if word in _environment_names() or word in public_names() else MASK


@functools.cache
def _environment_names() -> frozenset[str]:
    return frozenset(map(environment_name, wire_names(ProviderConfig)))


def _word_around(found: re.Match[str]) -> str:
    text, start, end = found.string, found.start(), found.end()
    while start and _in_word(text[start - 1]):
        start -= 1
    while end < len(text) and _in_word(text[end]):
        end += 1
    return text[start:end]


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
