"""What the provider and the sandbox assume of servers about pipes."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, Assumption, described, inferred

SERVICE_WITHOUT_DATABASE_PIPES_HAS_NO_SCALING = inferred(
    "The scaling of database pipes is 404 while the service has none."
)
PUBSUB_PIPES_NEED_THEIR_CREDENTIALS = described("Each update of a pipe from Pub/Sub must have its credentials.")
BIGQUERY_PIPES_KEEP_THEIR_SOURCE = described("No update of a pipe from BigQuery changes its source.")
NULL_RESTORES_A_SETTING_OF_A_PIPE = inferred("Null restores the default of a setting of a pipe.")
PIPE_UPDATE_KEEPS_WHAT_IT_OMITS = Assumption(
    "An update of a pipe keeps the fields that it omits.", "the meaning of PATCH (RFC 5789)", CLOUD_ONLY
)
PIPE_HIDES_CREDENTIALS = described("No response contains the credentials of a pipe.")
MONGODB_ADDRESS_IS_MASKED = described(
    "Responses have `[REDACTED]` for the user name and the password in the address of a MongoDB database. An update "
    "with the masked address keeps it.",
)
RUNNING_PIPE_IS_NOT_STARTED = Assumption(
    "A running pipe is not started: the refusal is 400.", "the tests of clickhousectl", CLOUD_ONLY
)
PIPE_SHOWS_WHAT_IT_KNOWS = inferred(
    "A pipe shows each property of its source, destination and settings that its create had, but for credentials, "
    "roles and the Protobuf schema.",
)
PIPE_SCALING_KEEPS_WHAT_IT_OMITS = Assumption(
    "Scaling of a pipe keeps the fields that are omitted or null.",
    "the interface (*Update pipe scaling*)",
    CLOUD_ONLY,
    of_interface=True,
)
