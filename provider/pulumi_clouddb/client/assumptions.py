"""What the provider and the sandbox assume of servers about requests and responses."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import (
    ALL,
    CLOUD_ONLY,
    DESCRIBED,
    SELF_HOSTED_ONLY,
    TERRAFORM,
    Assumption,
    described,
    measured,
)

LISTS_HAVE_WHOLE_RECORDS = Assumption(
    "A list of services, or of dashboards, has all properties that the object has when it is read alone.",
    DESCRIBED,
    ALL,
)
READS_HAVE_WHAT_WRITES_RETURN = Assumption(
    "A read of a key, or of a dashboard, has all properties that the response to its create has.", DESCRIBED, ALL
)
WRONG_CREDENTIALS_ARE_401 = measured("A request with wrong credentials is refused with 401.", of_interface=True)
SERVICE_KEEPS_ITS_TAGS = described("The tags in the create of a service are in the list of services.")
OFFSETS_SELECT_PAGES = measured(
    "Lists of an observability server accept `limit` and `offset`, and keep their order; older ones of the cloud "
    "contain all objects instead.",
)
KEY_NAMES_ITS_ORGANIZATION = Assumption(
    "The organization of a key is read at `/v1/whoami`, in `organizationId`. Servers before October 2026 do not "
    "have it.",
    "the vendor's description of autumn 2026, and the client of clickhousectl (models/whoami.rs)",
    CLOUD_ONLY,
)
USER_OF_THE_TOKEN_HAS_NO_ENVELOPE = Assumption(
    "The user of a token is read at `/api/v2/`, without an envelope.",
    "routers/external-api/v2/index.ts of the observability server 2.36.0",
    SELF_HOSTED_ONLY,
)
HEALTH_NAMES_THE_VERSION = Assumption(
    "The version is read at `/health`, without an envelope.",
    "routers/api/root.ts of the observability server 2.36.0",
    SELF_HOSTED_ONLY,
)
RESULTS_ARE_IN_ENVELOPES = Assumption(
    "The result of a success is in `result`, on a self-hosted server in `data`.", DESCRIBED, ALL, of_interface=True
)
REFUSALS_HAVE_A_REASON = Assumption(
    "A refusal has its reason as text, in `error`, on a self-hosted server in `message`.",
    DESCRIBED,
    ALL,
    of_interface=True,
)
FUNCTIONS_ARE_LISTED_WITH_A_CURSOR = Assumption(
    "The list of user-defined functions has the cursor of its next page, in the envelope or in the result.",
    "the vendor's description, which moved it in 2026",
    CLOUD_ONLY,
)
MISSING_OBJECTS_ARE_404_OF_THE_API = measured(
    "The 404 of a missing object is in the form of the API; that of a self-hosted dashboard is the text `Not Found`.",
    of_interface=True,
)
UNKNOWN_PATHS_ARE_ANOTHER_404 = measured(
    "The 404 of a path that the server does not have is not in the form of the API.", of_interface=True
)
REFUSALS_END_WITH_THE_LIMIT = Assumption(
    "A 429 names the seconds until its window ends.", TERRAFORM, ALL, of_interface=True
)
RESPONSES_ARE_DATED = Assumption(
    "Each response has the time of the server as `Date`.", "RFC 9110, section 6.6.1", ALL, of_interface=True
)
IDLE_CONNECTIONS_STAY_OPEN_FOR_FIVE_SECONDS = Assumption(
    "Servers close a connection that was idle for 5 seconds, and not before.", "`keepAliveTimeout` of Node.js", ALL
)
ONLY_SERVERS_WITH_VERSIONS_COMPARE_THEM = Assumption(
    "An update of a dashboard whose If-Match has another version is refused with 409 by a server that returns the "
    "version as a strong ETag, and accepted by any other.",
    "express 4, and pull request 3165 of the observability server (September 2026), which is in no known release",
    ALL,
)
PATHS_ARE_LENIENT = Assumption(
    "Paths of a self-hosted server are accepted in any case, and with a slash at the end.",
    "express 4",
    SELF_HOSTED_ONLY,
)
SLASH_AT_THE_END_IS_IGNORED = Assumption(
    "Paths of the cloud are accepted with a slash at the end.", TERRAFORM, CLOUD_ONLY
)
TWELVE_BYTES_ARE_AN_ID = measured(
    "Twelve bytes are an id of an observability server; another text is refused with 400."
)
UNKNOWN_PROPERTIES_ARE_DROPPED = measured("Properties that the server does not know are dropped without an error.")
NEWER_BODIES_ARE_STRICT = Assumption(
    "Functions, saved queries and query API endpoints are refused with an unknown property.",
    "the vendor's description of autumn 2026, whose objects allow no others",
    CLOUD_ONLY,
)
IP_LIST_KEEPS_ITS_ORDER = Assumption(
    "Addresses of a service are returned in the order in which they were added.",
    "github.com/ClickHouse/terraform-provider-clickhouse/pull/21",
    CLOUD_ONLY,
)
