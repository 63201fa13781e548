"""What the provider and the sandbox assume of servers about API keys."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption, described, inferred

KEY_IS_CREATED_FROM_HASHES = described(
    "A key is created from the hashes of its id and its secret; the response contains no secret."
)
KEY_HASHES_ARE_UNIQUE = inferred("A second key with the same hashes is refused.")
KEY_SHOWS_THE_END_OF_ITS_ID = described("The record of a key has the last four characters of its id.")
EMPTY_UPDATE_READS_A_KEY = Assumption(
    "An update of a key without fields changes nothing, and returns the key.",
    "the interface (*Update key*), in which no field is required",
    CLOUD_ONLY,
    of_interface=True,
)
KEY_KNOWS_WHETHER_IT_WAS_USED = described("A new key has no time of its last use, and a used one has one.")
NULL_CLEARS_THE_EXPIRY_OF_A_KEY = described("Null as the expiry of a key clears it.", of_interface=True)
KEY_SECRET_IS_ONLY_IN_THE_CREATE = described(
    "Only the response to the create of a key has its id for requests and its secret.", of_interface=True
)
KEY_NAMES_REPEAT = inferred("A second key of the same name is another key.", of_interface=True)
KEY_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a key keeps the fields that it omits.",
    "the meaning of PATCH (RFC 5789)",
    CLOUD_ONLY,
    of_interface=True,
)
OLDER_ROLES_REPLACE_ROLES_BY_ID = inferred("An update of a key with the older roles takes away the roles by id.")
LAST_USE_IS_KNOWN_TO_THE_MINUTE = described("The time of the last use of a key has no seconds.")
DISABLED_KEY_IS_401 = Assumption(
    "A disabled key is refused with 401.", "the description of the upgrade window", CLOUD_ONLY
)
EMPTY_IP_LIST_ALLOWS_NO_ADDRESS = inferred("A key with an empty list of addresses is refused everywhere.")
DEVELOPER_KEY_CREATES_NO_KEYS = inferred("A key with the role developer creates no keys: the refusal is 403.")
ORGANIZATION_HAS_HUNDRED_KEYS_AT_MOST = Assumption(
    "An organization can have 100 keys.", "the documentation of the cloud API (api-overview.md)", CLOUD_ONLY
)
KEY_NEEDS_NO_ROLE = inferred("A key without roles is created.")
KEY_NAMES_ITS_ROLES = described("The record of a key has the ids and the names of its roles.")
