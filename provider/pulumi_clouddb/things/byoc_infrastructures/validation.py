"""What servers report about infrastructures besides their records: validation, progress and private endpoints."""

from __future__ import annotations

from pulumi_clouddb.schema.base import FilledText, Flag, Model, Record, Text, prop
from pulumi_clouddb.schema.resource_type import FunctionType


class ByocCheck(Record):
    """A check of the cloud account (OpenAPI: `ByocInfrastructureValidationCheck`)."""

    name: Text | None = prop("Name of the check.")
    action: Text | None = prop("Action that it tries, such as `ec2:CreateVpc`.")
    group: Text | None = prop("Group of the check.")
    allowed: Flag | None = prop("Whether it passed.")
    reason: Text | None = prop("Why it did not pass.")

    @property
    def words(self) -> str:
        """The check in a message."""
        named = " ".join(each for each in (self.name, f"({self.action})" if self.action else "") if each)
        return f"{named or 'a check'}: {self.reason or 'denied'}"


class ByocValidation(Record):
    """The result of a preflight validation (OpenAPI: `ByocInfrastructureValidation`)."""

    cloud_provider: Text | None = prop("Cloud provider.")
    supported: Flag | None = prop("Whether accounts of this cloud can be validated; if not, nothing was checked.")
    all_passed: Flag | None = prop("Whether all checks passed.")
    any_passed: Flag | None = prop("Whether a check passed.")
    checks: list[ByocCheck] | None = prop("The checks. Their names are not stable.")

    @property
    def denied(self) -> list[str]:
        """Why the account cannot be used, one text for each failed check."""
        failed = [each.words for each in self.checks or () if each.allowed is False]
        return failed or (["not all checks passed"] if self.all_passed is False else [])


class ByocStage(Record):
    """A stage of the provisioning (OpenAPI: `ByocInfrastructureProgressStage`)."""

    name: Text | None = prop("Name of the stage.")
    status: Text | None = prop("`not_started`, `pending`, `waiting`, `in_progress`, `ready` or `failed`.")
    message: Text | None = prop("Details.")
    sub_stages: list[ByocStage] | None = prop("The stages within it.")


class ByocProgress(Record):
    """The progress of the provisioning (OpenAPI: `ByocInfrastructureProgress`)."""

    status: Text | None = prop("Status as a whole.")
    stages: list[ByocStage] | None = prop("The stages.")

    @property
    def words(self) -> str:
        """The current stage with those that it is in, such as `network / subnets: in_progress`."""
        found, stages = [], self.stages
        while stage := next((each for each in stages or () if each.status in _CURRENT), None):
            found.append(stage)
            stages = stage.sub_stages
        if not found:
            return ""
        last, names = found[-1], " / ".join(each.name or "?" for each in found)
        return f"{names}: {last.status}" + (f" ({last.message})" if last.message else "")


_CURRENT = ("failed", "in_progress", "waiting", "pending")


class ByocPrivateEndpointConfig(Record):
    """How private endpoints reach an infrastructure (OpenAPI: `ByocInfrastructurePrivateEndpointConfig`)."""

    endpoint_name: Text | None = prop("Name of the endpoint service at the cloud provider.")
    private_dns_hostname: Text | None = prop("Private host name of its services.")


class GetByocPrivateEndpointConfigArgs(Model):
    """Arguments of getByocPrivateEndpointConfig."""

    byoc_infrastructure_id: FilledText = prop("Id of the BYOC infrastructure.", required=True)


GET_BYOC_PRIVATE_ENDPOINT_CONFIG = FunctionType(
    "getByocPrivateEndpointConfig",
    "Reads how private endpoints reach a BYOC infrastructure.",
    GetByocPrivateEndpointConfigArgs,
    ByocPrivateEndpointConfig,
)
