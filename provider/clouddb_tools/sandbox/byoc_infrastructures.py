"""Infrastructures in cloud accounts of the organization; the organization's record lists them."""

from __future__ import annotations

from collections.abc import Iterator

from pulumi_clouddb.schema.common import AZURE, cloud_of
from pulumi_clouddb.schema.thing import body_of, inputs_of
from pulumi_clouddb.things.byoc_infrastructures.api import ByocInfrastructures
from pulumi_clouddb.things.byoc_infrastructures.byoc_infrastructure import (
    AT_ONCE,
    LATER,
    OF_DETAILS,
    ByocInfrastructure,
    ByocState,
)

from .bodies import part_of
from .lifecycle import GONE, begin
from .responses import bad_request
from .served import Handler, Served
from .state import Call, SandboxState
from .store import Document

DISPLAY_NAME, TAGS = "displayName", "tags"
OF_UPDATE = part_of(inputs_of(ByocInfrastructure), [DISPLAY_NAME, TAGS, *LATER])
SUBNET, PRIVATE_LINK = "gcpPscSubnetId", "enablePrivateLink"

DENIED_ACCOUNT = "000000000000"
"""An account in which every check of a validation is denied."""

CHECKS = (("createVpc", "ec2:CreateVpc", "network"), ("createCluster", "eks:CreateCluster", "compute"))
_OWN_VPC = {
    "byoVpcId": "vpcId",
    "byoVpcPrivateSubnetIds": "privateSubnetIds",
    "byoVpcPodCidrRangeNames": "gcpPodCidrRangeNames",
    "byoVpcSharedVpcHostProjectId": "gcpSharedVpcHostProjectId",
}
"""The fields of the user's own VPC in responses, with their names in requests."""


class ServedInfrastructures(Served):
    """The infrastructures, which have no list operation of their own."""

    def handlers(self) -> Iterator[tuple[str, Handler]]:
        """Yield the handlers of the operations on infrastructures; the list is that of the organization."""
        listing = self.collection.LIST.managed.name
        yield from ((name, each) for name, each in super().handlers() if name != listing)
        yield self.collection.GET.managed.name, self._details

    def fields(self, state: SandboxState, call: Call) -> Document:
        """Return the validated fields; an update accepts the subnet of private links only together with these."""
        if call.operation.method == "POST":
            return super().fields(state, call)
        fields = self.checked(state, OF_UPDATE, call.body)
        if fields.get(SUBNET) is not None and not fields.get(PRIVATE_LINK):
            raise bad_request(f"request body.{SUBNET}: is only accepted with {PRIVATE_LINK}")
        return fields

    def create(self, state: SandboxState, call: Call) -> Document:
        """Create an infrastructure, which takes a while."""
        document = super().create(state, call)
        begin(state, document, ByocState.PROVISIONING, ByocState.READY, state.latency.start, self.kind)
        return document

    def delete(self, state: SandboxState, call: Call) -> None:
        """Delete an infrastructure, which takes a while."""
        begin(state, self.get(state, call), ByocState.TERMINATED, GONE, state.latency.delete, self.kind)

    def validate(self, state: SandboxState, call: Call) -> Document:
        """Validate an account; those of Azure cannot be validated."""
        body = self.checked(state, part_of(body_of(ByocInfrastructure), AT_ONCE), call.body)
        if missing := [name for name in ("regionId", "accountId") if body.get(name) is None]:
            raise bad_request(f"request body.{missing[0]}: is required")
        cloud, allowed = cloud_of(body.get("regionId")), body.get("accountId") != DENIED_ACCOUNT
        why = "" if allowed else f"the account {DENIED_ACCOUNT} grants no permissions"
        checks = [
            {"name": name, "action": action, "group": group, "allowed": allowed, "reason": why}
            for name, action, group in CHECKS
        ]
        supported = cloud != AZURE
        passed = {"allPassed": supported and allowed, "anyPassed": supported and allowed}
        return {"cloudProvider": cloud, "supported": supported, **passed, "checks": checks if supported else []}

    def get_tags(self, state: SandboxState, call: Call) -> Document:
        """Return the tags of an infrastructure."""
        return {TAGS: self._existing(state, call).get(TAGS) or {}}

    def get_progress(self, state: SandboxState, call: Call) -> Document:
        """Return the progress: two stages, of which the second has stages in it."""
        infrastructure, now = self._existing(state, call), state.clock.stamp()
        status = "in_progress" if infrastructure["state"] == ByocState.PROVISIONING else "ready"

        def stage(name: str, status: str, *within: Document) -> Document:
            return {"name": name, "status": status, "message": "", "updatedAt": now, "subStages": [*within]}

        stages = [stage("account", "ready"), stage("network", status, stage("subnets", status))]
        return {"id": infrastructure["id"], "status": status, "updatedAt": now, "stages": stages}

    def get_private_endpoint_config(self, state: SandboxState, call: Call) -> Document:
        """Return the names with which private endpoints reach the services."""
        infrastructure = self._existing(state, call)
        region, short = infrastructure["regionId"], infrastructure["id"][:8]
        return {
            "endpointName": f"com.amazonaws.vpce.{region}.vpce-svc-{short}",
            "privateDnsHostname": f"{short}.{region}.vpce.byoc.example.com",
        }

    def add(self, state: SandboxState, parent: str, fields: Document) -> Document:
        """Add a ready infrastructure."""
        region = str(fields["regionId"])
        account = {"accountName": f"Account {fields.get('accountId') or 'of ours'}"}
        usual = {"state": ByocState.READY, "cloudProvider": cloud_of(region) or "aws", DISPLAY_NAME: region, **account}
        given = {name: each for name, each in fields.items() if each is not None}
        return super().add(state, parent, {**usual, **given})

    def listed(self, document: Document) -> Document:
        """Return the infrastructure as the record of the organization has it."""
        names = ("id", "state", "accountName", "regionId", "cloudProvider", DISPLAY_NAME)
        return {name: document[name] for name in names if name in document}

    def shown(self, state: SandboxState, document: Document) -> Document:
        """Return the infrastructure as responses to writes show it."""
        return self.listed(document)

    def _existing(self, state: SandboxState, call: Call) -> Document:
        """Return the infrastructure; a terminated one is not found."""
        document = self.get(state, call)
        if document["state"] == ByocState.TERMINATED:
            raise self.missing()
        return document

    def _details(self, state: SandboxState, call: Call) -> Document:
        document = self._existing(state, call)
        own = document.get("vpcId") is not None
        zones = [f"{document['regionId']}{each}" for each in document.get("availabilityZoneSuffixes") or ()]
        details = {name: document.get(name) for name in OF_DETAILS if name not in (TAGS, *_OWN_VPC.values())}
        flags = {name: bool(details[name]) for name in LATER if name != SUBNET}
        network = None if own else document.get("vpcCidrRange") or "10.0.0.0/16"
        found = {**details, **flags, **{name: document.get(each) for name, each in _OWN_VPC.items()}}
        found |= {"isByoVpc": own, "vpcAvailabilityZoneList": zones, "vpcCidrRange": network}
        found |= {name: each for name, each in self.listed(document).items() if name != "accountName"}
        return {name: each for name, each in found.items() if each is not None or name != "accountId"}


SERVED = ServedInfrastructures(ByocInfrastructures, body_of(ByocInfrastructure), regionId="us-east-1")
