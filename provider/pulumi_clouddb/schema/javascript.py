"""How the vendor's observability servers parse texts in JavaScript.

The requests of `tests/tools/real_server` compare this with the real server.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

SPACE = "\t\n\v\f\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space in JavaScript, for a character class of a regular expression."""

_AROUND = re.compile(f"^[{SPACE}]+|[{SPACE}]+$")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_WEB = ("http", "https")
_LARGEST_PORT = 65_535
_LARGEST_IPV4 = 2**32
_PARTS_OF_IPV4 = 4
_FORBIDDEN = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")


def trim(text: str) -> str:
    """Return a text without white space around it."""
    return _AROUND.sub("", text)


def number(text: str) -> float:
    """Return the number in a text; NaN if there is none, and 0 for an empty text."""
    trimmed = trim(text)
    if _RADIX.fullmatch(trimmed):
        return float(int(trimmed, 0))
    if _DECIMAL.fullmatch(trimmed):
        return float(trimmed)
    return math.nan if trimmed else 0.0


def in_units(value: Any) -> Any:
    """Return a value whose texts are as long as in units of UTF-16, in which the servers count.

    Characters above U+FFFF are doubled.
    """
    if isinstance(value, str):
        return _ASTRAL.sub(r"\g<0>\g<0>", value)
    if isinstance(value, Mapping):
        return {name: in_units(item) for name, item in value.items()}
    return [in_units(item) for item in value] if isinstance(value, (list, tuple)) else value


def web_host(url: str, *, only_web: bool = False) -> str:
    """Return the host of a URL as browsers and these servers parse it: IPv4 addresses get four decimal parts.

    Other schemes than http and https are rejected if `only_web` is true; if not, their host is not checked.

    Raises:
        ValueError: The text is not a URL, or its host or port is invalid.
    """
    parts = urlsplit(re.sub(r"^(https?):[/\\]*", r"\1://", trim(url), flags=re.IGNORECASE))
    if not parts.scheme or (only_web and parts.scheme not in _WEB):
        raise ValueError(url)
    if parts.scheme not in _WEB:
        return parts.hostname or ""
    host = unquote(parts.hostname or "")
    if (parts.port or 0) > _LARGEST_PORT or not host:
        raise ValueError(url)
    if "[" in parts.netloc:
        return str(ipaddress.IPv6Address(host))
    if _FORBIDDEN.search(host):
        raise ValueError(url)
    return _ipv4(host) or host.lower()


def _ipv4(host: str) -> str | None:
    """Return the IPv4 address in one to four numbers, also octal or hexadecimal; None for a name.

    Raises:
        ValueError: The host ends in a number, but is not an address.
    """
    labels = host.removesuffix(".").split(".")
    if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]*", labels[-1], re.ASCII):
        return None
    numbers = [_part(each) for each in labels]
    *first, last = numbers
    if len(numbers) > _PARTS_OF_IPV4 or any(each > 255 for each in first) or last >= 256 ** (5 - len(numbers)):
        raise ValueError(host)
    whole = last + sum(each * 256 ** (3 - index) for index, each in enumerate(first))
    return str(ipaddress.IPv4Address(whole % _LARGEST_IPV4))


def _part(label: str) -> int:
    if label[:2] in ("0x", "0X"):
        return int(label[2:] or "0", 16)
    if not re.fullmatch(r"\d+", label, re.ASCII):
        raise ValueError(label)
    return int(label, 8) if len(label) > 1 and label.startswith("0") else int(label)


def is_reserved(host: str) -> bool:
    """Return whether servers reject this host: it is the local machine, or has a private address."""
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return any(address in each for each in _RESERVED_IPV4)
    low = int(address)
    if low >> 32 in (0, 0xFFFF) and is_reserved(str(ipaddress.IPv4Address(low % _LARGEST_IPV4))):
        return True
    return any(address in each for each in _RESERVED_IPV6)


_RESERVED_IPV4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
        ),
    )
)
_RESERVED_IPV6 = tuple(
    map(
        ipaddress.IPv6Network,
        ("::/128", "::1/128", "100::/64", "2001:db8::/32", "3fff::/20", "fc00::/7", "fe80::/10", "ff00::/8"),
    )
)
"""Private or reserved addresses in 2.36.0 (utils/validators.ts)."""
