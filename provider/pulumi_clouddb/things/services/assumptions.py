"""What the provider and the sandbox assume of servers about services."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, DESCRIBED, INFERRED, Assumption

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
SERVICE_STOPS_FOR_A_WHILE = Assumption(
    "After the command to stop, a service is `stopping`, and later `stopped`.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
STOPPED_SERVICE_IS_DELETED = Assumption("A stopped service is deleted.", DESCRIBED, CLOUD_ONLY, of_interface=True)
DELETED_SERVICE_LEAVES_THE_LIST = Assumption(
    "A deleted service is missing in the list in the end, and reading it is 404.",
    INFERRED,
    CLOUD_ONLY,
    of_interface=True,
)
PASSWORD_IS_SET_BY_HASHES = Assumption("A password that is set by its hashes is not returned.", DESCRIBED, CLOUD_ONLY)
PASSWORD_IS_GENERATED_WITHOUT_HASHES = Assumption(
    "A reset without hashes returns a generated password.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
SERVICE_PASSWORD_IS_ONLY_IN_THE_CREATE = Assumption(
    "Only the response to the create of a service has its password.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
SERVICE_IS_CREATED_BEFORE_IT_RUNS = Assumption(
    "The create of a service returns while the service is `provisioning`.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
SERVICE_NEEDS_NO_IP_ACCESS_LIST = Assumption(
    "A service is created without an IP access list.",
    "runs of other clients; the vendor's description of November 2026 lists it as required",
    CLOUD_ONLY,
)
SERVICE_NAMES_REPEAT = Assumption(
    "A second service of the same name is another service.", INFERRED, CLOUD_ONLY, of_interface=True
)
TOTAL_MEMORY_IS_THAT_OF_THREE_REPLICAS = Assumption(
    "The total memory of a service is three times that of a replica.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
REPLICA_BAND_NEEDS_BOTH_ENDS = Assumption(
    "One end of the range of replicas is refused without the other.", DESCRIBED, CLOUD_ONLY
)
QUERY_ENDPOINT_MAY_BE_EMPTY = Assumption(
    "A query endpoint without roles, keys and origins is accepted.", INFERRED, CLOUD_ONLY
)
BACKUPS_ARE_KEPT_FOR_A_DAY = Assumption(
    "A service that nobody has configured is backed up every 24 hours, and keeps backups for 24 hours.",
    INFERRED,
    CLOUD_ONLY,
)
NULL_RESTORES_THE_DEFAULTS_OF_BACKUPS = Assumption(
    "Null restores the default of a property of the backups.", INFERRED, CLOUD_ONLY
)
SNAPSHOTS_NEED_ENROLMENT = Assumption(
    "An organization that is not enrolled in snapshots is refused with 403, also when it reads their configuration.",
    "the client of the vendor's Terraform provider (snapshot_configuration.go)",
    CLOUD_ONLY,
)
SNAPSHOT_CONFIGURATION_IS_CHANGED_IN_PARTS = Assumption(
    "An update of the snapshot configuration keeps what it omits.", DESCRIBED, CLOUD_ONLY
)
ROUTING_NEEDS_THE_FEATURE = Assumption(
    "An organization without the feature of replica-aware routing is refused with 400 or 403, also when it reads it.",
    INFERRED,
    CLOUD_ONLY,
)
ROUTING_IS_CHANGED_IN_PARTS = Assumption(
    "An update of the replica-aware routing keeps what it omits.", DESCRIBED, CLOUD_ONLY
)
ENGINE_SETTINGS_ARE_CHANGED_IN_PARTS = Assumption(
    "An update of the settings of the engine keeps the others; deleting one resets it alone.", DESCRIBED, CLOUD_ONLY
)
UNKNOWN_ENGINE_SETTINGS_ARE_REFUSED = Assumption(
    "A setting that the engine does not have is refused.", INFERRED, CLOUD_ONLY
)
ENGINE_SETTINGS_HAVE_A_SCHEMA = Assumption(
    "The schema of the settings has their names and types.", DESCRIBED, CLOUD_ONLY
)
MISSING_SETTINGS_ARE_404 = Assumption(
    "Reading a schedule, a window, a query endpoint or a bucket that the service does not have is 404.",
    DESCRIBED,
    CLOUD_ONLY,
)
SCHEDULE_HAS_BOUNDS_FOR_A_NUMBER = Assumption(
    "A schedule with a number of replicas is returned with equal bounds.", DESCRIBED, CLOUD_ONLY
)
IDLE_SERVICE_CAN_BE_STOPPED = Assumption("An idle service is stopped without being woken before.", INFERRED, CLOUD_ONLY)
STOPPED_SERVICE_REFUSES_ENGINE_SETTINGS = Assumption(
    "A stopped service refuses changes of the settings of its engine.", INFERRED, CLOUD_ONLY
)
STOPPED_SERVICE_KEEPS_ITS_SETTINGS = Assumption(
    "A stopped service is scaled, renamed and has other addresses without being started.", INFERRED, CLOUD_ONLY
)
PRIMARY_STOPS_LAST = Assumption(
    "The primary service of a warehouse is not stopped while another service of it runs: the refusal is 400.",
    "pull request 565 of the vendor's Terraform provider",
    CLOUD_ONLY,
)
IP_LIST_IS_CHANGED_IN_PARTS = Assumption(
    "An update of a service adds and removes addresses, and keeps all others.", DESCRIBED, CLOUD_ONLY, of_interface=True
)
TAGS_ARE_REMOVED_BEFORE_OTHERS_ARE_ADDED = Assumption(
    "An update of a service removes tags before it adds others.", DESCRIBED, CLOUD_ONLY
)
SERVICE_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a service keeps the fields that it omits.",
    "the meaning of PATCH (RFC 5789)",
    CLOUD_ONLY,
    of_interface=True,
)
UPGRADE_WINDOW_LASTS_SIX_HOURS = Assumption("An upgrade window lasts six hours.", DESCRIBED, CLOUD_ONLY)
RUNNING_SERVICE_IS_NOT_STARTED = Assumption(
    "A running service is not started: the refusal is 400.", INFERRED, CLOUD_ONLY
)
SERVICES_ARE_LISTED_BY_TAG = Assumption("A list of services can be limited to those with a tag.", DESCRIBED, CLOUD_ONLY)
