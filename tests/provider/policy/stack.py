"""Cases of the rules about stacks.

Outputs of a new resource are missing in a dynamic preview, and unknown in a native one.
"""

from __future__ import annotations

from clouddb_tools.testing import UNKNOWN, Secret
from policy.case import PIPE_ID, SERVICE_ID, Piece, StackCase
from pulumi_clouddb.things.organizations.measured_usage import QuotaUse, Usage

ALERT = {"name": "Errors", "threshold": 1, "interval": "5m", "thresholdType": "above"}
SHOP = Piece("Service", "shop", {"name": "Shop", "numReplicas": 3, "maxReplicaMemoryGb": 100})
OLD_SHOP = Piece("Service", "shop", {**SHOP.props, "id": SERVICE_ID})
OTHER_SHOP = Piece("Service", "shop", {**SHOP.props, "id": PIPE_ID}, parent_type="shop:index:Region")
NEW_SERVICE = Piece("Service", "new", {"name": "New", "maxReplicaMemoryGb": 200})

CASES = [
    StackCase(
        "stack-memory-budget",
        settings={"maximumGb": 400},
        fails=(SHOP, Piece("Service", "reports", {"numReplicas": 2, "maxTotalMemoryGb": 168})),
        says="maxReplicaMemoryGb * numReplicas is 412 GB for 2 services, of which 'shop' is the largest;",
        passes=(SHOP, Piece("Service", "reports", {"numReplicas": 1, "maxReplicaMemoryGb": 100})),
        unknown=(NEW_SERVICE, Piece("Service", "other", {"numReplicas": 20, "maxReplicaMemoryGb": UNKNOWN})),
    ),
    StackCase(
        "stack-memory-budget",
        settings={"maximumGb": 400},
        fails=(OLD_SHOP, OTHER_SHOP),
        says="maxReplicaMemoryGb * numReplicas is 600 GB for 2 services, of which 'shop' is the largest;",
        passes=(OLD_SHOP,),
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "stack-memory-budget",
        settings={"maximumGb": 250},
        fails=(OLD_SHOP, Piece("Dashboard", "board", {"name": "Board"})),
        says="maxReplicaMemoryGb * numReplicas is 300 GB for 'shop';",
        passes=(NEW_SERVICE,),
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "production-services-watched",
        fails=(
            OLD_SHOP,
            Piece("Service", "other", {"id": PIPE_ID}),
            Piece("Alert", "a", {**ALERT, "serviceId": PIPE_ID}),
        ),
        says="serviceId of no Alert matches 'shop'; create an alert",
        at="shop",
        passes=(
            OLD_SHOP,
            NEW_SERVICE,
            Piece("Alert", "a", {**ALERT, "serviceId": SERVICE_ID}),
            Piece("Dashboard", "d", {"name": "D", "tiles": [], "serviceId": UNKNOWN}, {"serviceId": ("new",)}),
            Piece("Alert", "b", {**ALERT, "dashboardId": UNKNOWN}, {"dashboardId": ("d",)}),
        ),
        unknown=(OLD_SHOP, NEW_SERVICE, Piece("Alert", "a", {**ALERT, "serviceId": UNKNOWN})),
    ),
    StackCase(
        "production-services-watched",
        fails=(OLD_SHOP, Piece("Alert", "self-hosted", ALERT)),
        says="serviceId of no Alert matches 'shop'",
        at="shop",
        passes=(Piece("Alert", "self-hosted", ALERT),),
        unknown=(NEW_SERVICE, Piece("Alert", "a", {"serviceId": UNKNOWN})),
    ),
    StackCase(
        "no-plain-credentials",
        fails=(SHOP,),
        config={"clouddb:keyId": "id", "clouddb:keySecret": "in plain text", "shop:dbPassword": Secret("word")},
        says="clouddb:keySecret is in plain text; run `pulumi config set --secret clouddb:keySecret`",
        passes=(SHOP,),
        good_config={"clouddb:keySecret": Secret("key"), "shop:dbPassword": Secret("word"), "clouddb:stackToken": ""},
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "no-plain-credentials", config={"shop:dbPassword": "in plain text"}, says="shop:dbPassword is in plain text"
    ),
    StackCase(
        "production-servers",
        fails=(SHOP,),
        config={"clouddb:baseUrl": "http://127.0.0.1:8980", "clouddb:stackUrl": "https://stack.example"},
        says="clouddb:baseUrl is 'http://127.0.0.1:8980'; set it to the https address of a real server",
        passes=(SHOP,),
        good_config={"clouddb:baseUrl": "https://api.example"},
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "production-servers",
        fails=(SHOP,),
        config={"clouddb:stackUrl": "https://localhost:8443"},
        says="clouddb:stackUrl is 'https://localhost:8443'",
        passes=(SHOP,),
        good_config={"clouddb:stackUrl": "https://stack.example"},
    ),
    StackCase(
        "production-servers",
        fails=(SHOP,),
        config={"clouddb:stackUrl": "https://127.0.0.2:8443"},
        says="clouddb:stackUrl is 'https://127.0.0.2:8443'",
        passes=(SHOP,),
        good_config={"clouddb:stackUrl": "https://stack.example"},
    ),
    StackCase(
        "production-servers",
        fails=(SHOP,),
        config={"clouddb:baseUrl": "https://user:password@[::1"},
        says="clouddb:baseUrl is not an address; set it to the https address of a real server",
        passes=(SHOP,),
        good_config={"clouddb:baseUrl": "https://api.example"},
    ),
    StackCase(
        "max-cost",
        fails=(OLD_SHOP, Piece("Service", "other", {"id": PIPE_ID}), NEW_SERVICE),
        settings={"maximumCredits": 100},
        usage=Usage(costs={SERVICE_ID: 90.5, PIPE_ID: 10, "of-another-stack": 500}),
        says="cost is 100.5 credits in 30 days for 2 services, most of it for 'shop'; keep the stack within 100",
        passes=(OLD_SHOP, NEW_SERVICE),
        unknown=(OLD_SHOP, NEW_SERVICE),
    ),
    StackCase(
        "max-cost",
        fails=(OLD_SHOP, OTHER_SHOP),
        settings={"maximumCredits": 1234565},
        usage=Usage(costs={SERVICE_ID: 1234560.5, PIPE_ID: 10}),
        says="cost is 1234570.5 credits in 30 days for 2 services, most of it for 'shop'; "
        "keep the stack within 1234565",
        passes=(OLD_SHOP,),
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "quota-headroom",
        fails=(NEW_SERVICE,),
        settings={"minimumFree": 2},
        usage=Usage(quotas={"services-per-organization": QuotaUse(used=8, limit=10)}),
        says="quota services-per-organization has 8 of 10 in use, and this plan creates 1 more; leave at least 2 free",
        passes=(OLD_SHOP,),
        unknown=(NEW_SERVICE,),
    ),
    StackCase(
        "quota-headroom",
        fails=(NEW_SERVICE, Piece("Service", "other", {"name": "Other"})),
        usage=Usage(quotas={"services-per-organization": QuotaUse(used=8, limit=10)}),
        says="quota services-per-organization has 8 of 10 in use, and this plan creates 2 more; leave at least 1 free",
        passes=(NEW_SERVICE,),
        unknown=(NEW_SERVICE,),
    ),
]
