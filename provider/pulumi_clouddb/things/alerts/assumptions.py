"""What the provider and the sandbox assume of servers about alerts."""

from __future__ import annotations

from pulumi_clouddb.schema.assumptions import CLOUD_ONLY, SELF_HOSTED_ONLY, Assumption, measured

AFTER_2_36 = "the observability server after 2.36.0 (utils/zod.ts, v2/utils/alertChartConfig.ts)"

SELF_HOSTED_CHANNEL_DROPS_PROPERTIES_OF_THE_CLOUD = measured(
    "A self-hosted server drops the severity of a channel without an error.", servers=SELF_HOSTED_ONLY
)
UPDATE_CLEARS_TEXTS_OF_AN_ALERT = measured(
    "An update of an alert clears the name, message, note and number of windows that it omits."
)
UPDATE_KEEPS_THE_RANGE_OF_AN_ALERT = measured(
    "An update of an alert keeps the upper threshold and the offset that it omits."
)
NULL_CLEARS_THE_START_OF_AN_ALERT = measured(
    "An update of an alert keeps the start that it omits, and clears it if it is null."
)
LISTS_LEAVE_OUT_THE_CHART_OF_AN_ALERT = Assumption(
    "A server up to 2.36 refuses an alert with source `inline`. A newer one leaves its chart out of lists, and returns "
    "it in a read by its id.",
    AFTER_2_36,
    SELF_HOSTED_ONLY,
)
UPDATE_DERIVES_THE_TITLE_OF_AN_ALERT = Assumption(
    "A server up to 2.36 drops the `displayName` and the `tags` of an alert. On a newer one, an update without them "
    "derives both again from what the alert watches.",
    AFTER_2_36,
    SELF_HOSTED_ONLY,
)
CHART_OF_THE_PAGE_IS_HIDDEN = Assumption(
    "An alert is returned without its chart if the page of the server has set what the API cannot express; an update "
    "without a chart is then refused.",
    AFTER_2_36,
    SELF_HOSTED_ONLY,
)
CLOUD_HAS_NO_INLINE_ALERTS = Assumption(
    "Servers of the cloud refuse an alert with source `inline`, and drop `displayName` and `tags`.",
    "the vendor's Terraform provider has no such property for them (pull request 717)",
    CLOUD_ONLY,
)
FAILED_CHECK_KEEPS_THE_STATE = measured(
    "A failed check of an alert is in `executionErrors`, and leaves its state as it was."
)
ALERT_SHOWS_BOTH_FORMS_OF_CHANNELS = measured(
    "An alert is returned with all its `channels`, and with the first one as `channel`."
)
CHANNEL_ALONE_DROPS_THE_OTHERS = measured("An update of an alert with `channel` alone drops its other channels.")
CHANNEL_IS_THE_FIRST_OF_CHANNELS = measured("An alert whose `channel` is not the first of its `channels` is refused.")
A_TILE_HAS_SEVERAL_ALERTS = measured("A tile can have several alerts.")
NEW_ALERT_IS_OK = measured("The state of a new alert is OK.")
START_RESETS_THE_OFFSET = measured("A start sets the offset of an alert to 0.")
