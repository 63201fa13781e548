"""What the provider and the sandbox assume of servers about services."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, DESCRIBED, Assumption, described, inferred

SETTINGS_IN_ANOTHER_FORM_ARE_REFUSED = Assumption(
    "A server that takes the settings of the engine as JSON in a text refuses an object with 400.",
    f"{DESCRIBED} of August 2026 has the text, that of October the object",
    CLOUD_ONLY,
)
STOPPED_SERVICE_REFUSES_PIPES_WITH_424 = Assumption(
    "A service that does not run refuses a new reverse private endpoint, or pipe, with 424.",
    "the tests of clickhousectl",
    CLOUD_ONLY,
)
RUNNING_SERVICE_IS_NOT_DELETED = Assumption(
    "A running service is not deleted: the refusal is 409.",
    "the words of a 409 in tests of the vendor's Terraform provider",
    CLOUD_ONLY,
    of_interface=True,
)
SERVICE_STOPS_FOR_A_WHILE = described(
    "After the command to stop, a service is `stopping`, and later `stopped`.", of_interface=True
)
STOPPED_SERVICE_IS_DELETED = described("A stopped service is deleted.", of_interface=True)
DELETED_SERVICE_LEAVES_THE_LIST = inferred(
    "A deleted service is missing in the list in the end, and reading it is 404.", of_interface=True
)
PASSWORD_IS_SET_BY_HASHES = described("A password that is set by its hashes is not returned.")
PASSWORD_IS_GENERATED_WITHOUT_HASHES = described(
    "A reset without hashes returns a generated password.", of_interface=True
)
SERVICE_PASSWORD_IS_ONLY_IN_THE_CREATE = described(
    "Only the response to the create of a service has its password.", of_interface=True
)
SERVICE_IS_CREATED_BEFORE_IT_RUNS = described(
    "The create of a service returns while the service is `provisioning`.", of_interface=True
)
SERVICE_NEEDS_NO_IP_ACCESS_LIST = Assumption(
    "A service is created without an IP access list.",
    "runs of other clients; the vendor's description of November 2026 lists it as required",
    CLOUD_ONLY,
)
SERVICE_NAMES_REPEAT = inferred("A second service of the same name is another service.", of_interface=True)
TOTAL_MEMORY_IS_THAT_OF_THREE_REPLICAS = described(
    "The total memory of a service is three times that of a replica.", of_interface=True
)
REPLICA_BAND_NEEDS_BOTH_ENDS = described("One end of the range of replicas is refused without the other.")
QUERY_ENDPOINT_MAY_BE_EMPTY = inferred("A query endpoint without roles, keys and origins is accepted.")
BACKUPS_ARE_KEPT_FOR_A_DAY = inferred(
    "A service that nobody has configured is backed up every 24 hours, and keeps backups for 24 hours."
)
NULL_RESTORES_THE_DEFAULTS_OF_BACKUPS = inferred("Null restores the default of a property of the backups.")
SNAPSHOTS_NEED_ENROLMENT = Assumption(
    "An organization that is not enrolled in snapshots is refused with 403, also when it reads their configuration.",
    "the client of the vendor's Terraform provider (snapshot_configuration.go)",
    CLOUD_ONLY,
)
SNAPSHOT_CONFIGURATION_IS_CHANGED_IN_PARTS = described("An update of the snapshot configuration keeps what it omits.")
ROUTING_NEEDS_THE_FEATURE = inferred(
    "An organization without the feature of replica-aware routing is refused with 400 or 403, also when it reads it."
)
ROUTING_IS_CHANGED_IN_PARTS = described("An update of the replica-aware routing keeps what it omits.")
ENGINE_SETTINGS_ARE_CHANGED_IN_PARTS = described(
    "An update of the settings of the engine keeps the others; deleting one resets it alone."
)
UNKNOWN_ENGINE_SETTINGS_ARE_REFUSED = inferred("A setting that the engine does not have is refused.")
ENGINE_SETTINGS_HAVE_A_SCHEMA = described("The schema of the settings has their names and types.")
MISSING_SETTINGS_ARE_404 = described(
    "Reading a schedule, a window, a query endpoint or a bucket that the service does not have is 404."
)
SCHEDULE_HAS_BOUNDS_FOR_A_NUMBER = described("A schedule with a number of replicas is returned with equal bounds.")
IDLE_SERVICE_CAN_BE_STOPPED = inferred("An idle service is stopped without being woken before.")
STOPPED_SERVICE_REFUSES_ENGINE_SETTINGS = inferred("A stopped service refuses changes of the settings of its engine.")
STOPPED_SERVICE_KEEPS_ITS_SETTINGS = inferred(
    "A stopped service is scaled, renamed and has other addresses without being started."
)
PRIMARY_STOPS_LAST = Assumption(
    "The primary service of a warehouse is not stopped while another service of it runs: the refusal is 400.",
    "pull request 565 of the vendor's Terraform provider",
    CLOUD_ONLY,
)
IP_LIST_IS_CHANGED_IN_PARTS = described(
    "An update of a service adds and removes addresses, and keeps all others.", of_interface=True
)
TAGS_ARE_REMOVED_BEFORE_OTHERS_ARE_ADDED = described("An update of a service removes tags before it adds others.")
SERVICE_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a service keeps the fields that it omits.",
    "the meaning of PATCH (RFC 5789)",
    CLOUD_ONLY,
    of_interface=True,
)
UPGRADE_WINDOW_LASTS_SIX_HOURS = described("An upgrade window lasts six hours.")
RUNNING_SERVICE_IS_NOT_STARTED = inferred("A running service is not started: the refusal is 400.")
SERVICES_ARE_LISTED_BY_TAG = described("A list of services can be limited to those with a tag.")
