"""Cases of the rules about access lists."""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN
from policy.case import Case, Values

ANY = "0.0.0.0"  # noqa: S104 (an entry of a list, to which nothing binds)
TOGETHER = "ipAccessList has every address on the internet, in several entries; replace these with the networks"
OFFICE = {"source": "203.0.113.0/24", "description": "Office"}


def entries(*sources: object) -> Values:
    """Return an access list of these sources, each with a description."""
    return {"ipAccessList": [{"source": source, "description": "Office"} for source in sources]}


def both(kind: str, about: str) -> list[Case]:
    """Return the cases of the rules that services and keys share."""
    return [
        Case(
            f"{kind}-no-open-access",
            about,
            fails=entries("203.0.113.0/24", "0.0.0.0/0"),
            says="ipAccessList[1].source is '0.0.0.0/0'; replace it with the networks that connect",
            also=(
                (entries("::/0", UNKNOWN), "ipAccessList[0].source is '::/0'"),
                ({"ipAccessList": [UNKNOWN, {"source": "0.0.0.0/0"}]}, "ipAccessList[1].source is '0.0.0.0/0'"),
                (entries(ANY), "ipAccessList[0].source is '0.0.0.0'; replace it with the networks that connect"),
                (entries("::"), "ipAccessList[0].source is '::'; replace it with the networks that connect"),
                (entries("10.1.2.3/0"), "ipAccessList[0].source is '10.1.2.3/0'"),
                (entries("::ffff:0.0.0.0/96"), "ipAccessList[0].source is '::ffff:0.0.0.0/96'"),
                (entries("0.0.0.0/1", "128.0.0.0/1"), TOGETHER),
                (entries("::/1"), "ipAccessList[0].source is '::/1'"),  # with all of IPv4
                (entries("2000::/4", "203.0.113.7", "3000::/4"), TOGETHER),
                (entries("0.0.0.0/1", "128.0.0.0/2", "::ffff:192.0.0.0/99"), TOGETHER),
                (entries("0.0.0.0/1", UNKNOWN, "128.0.0.0/1"), TOGETHER),
            ),
            passes=entries("203.0.113.0/24", "2001:db8::/48", "0.0.0.0/32", "::ffff:203.0.113.7"),
            unknown={"ipAccessList": [{"source": UNKNOWN, "description": "Office"}, UNKNOWN]},
            fixed=entries("203.0.113.0/24"),
            unfixed=(entries("0.0.0.0/0"), entries("0.0.0.0/1", "128.0.0.0/1")),
        ),
        Case(
            f"{kind}-narrow-access",
            about,
            fails=entries("198.51.100.7", "10.0.0.0/8"),
            says="ipAccessList[1].source is '10.0.0.0/8'; use IPv4 prefixes of /16 or longer",
            also=(
                (
                    entries("::ffff:10.0.0.0/104"),
                    "ipAccessList[0].source is '::ffff:10.0.0.0/104'; use IPv4 prefixes of /16 or longer",
                ),
                (
                    entries("2001:db8::/32"),
                    "ipAccessList[0].source is '2001:db8::/32'; use IPv6 prefixes of /48 or longer",
                ),
            ),
            passes=entries("10.1.0.0/16", "2001:db8::/48", "0.0.0.0/0"),
            unknown=entries(UNKNOWN),
        ),
        Case(
            f"{kind}-access-described",
            about,
            fails={"ipAccessList": [OFFICE, {"source": "198.51.100.7"}]},
            says="ipAccessList[1].description is not set; describe whose address it is",
            also=(({"ipAccessList": [{"source": UNKNOWN, "description": " "}]}, "ipAccessList[0].description is ' '"),),
            passes={"ipAccessList": [OFFICE]},
            unknown={"ipAccessList": [{"source": "198.51.100.7", "description": UNKNOWN}]},
        ),
    ]


CASES = both("service", "Service") + both("key", "ApiKey")
