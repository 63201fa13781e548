"""Cases of the rules about several resources, which refer to each other by id, or by a new one whose id is unknown."""

from __future__ import annotations

from dataclasses import replace

from clouddb_tools.testing import UNKNOWN
from policy.case import PIPE_ID, SERVICE_ID, Piece, StackCase

SCALING = Piece("PipeScaling", "first", {"pipeId": PIPE_ID, "replicas": 2})
SECOND = replace(SCALING, name="second", props={"pipeId": PIPE_ID.upper(), "replicas": 2})
NEW_PIPE = Piece("Pipe", "events", {"serviceId": SERVICE_ID, "name": "Events", "scaling": {"replicas": 1}})
OF_NEW_PIPE = replace(SCALING, props={"pipeId": UNKNOWN, "replicas": 2}, needs={"pipeId": ("events",)})
LINK = {"logSourceId": "logs"}
TRACES = Piece("Source", "traces", {"name": "Traces", "kind": "trace", **LINK})
LINKS = Piece("SourceLinks", "links", {"sourceId": UNKNOWN, **LINK}, {"sourceId": ("traces",)})
ROLE = Piece("Role", "reader", {"name": "Reader", "policies": [], "actors": ["user/1"]})
KEY = Piece("ApiKey", "ci", {"name": "ci", "assignedRoleIds": [UNKNOWN]}, {"assignedRoleIds": ("reader",)})
ORDERS = Piece("Service", "orders", {"name": "Orders", "privateEndpointIds": ["vpce-1a2b3c4d"]})
ENDPOINT = Piece(
    "PrivateEndpoint", "office", {"endpointId": "vpce-2a2b3c4d", "serviceId": UNKNOWN}, {"serviceId": ("orders",)}
)
QUERY = Piece("SavedQuery", "top", {"name": "Top", "sql": "SELECT 1", "serviceId": UNKNOWN}, {"serviceId": ("orders",)})
PRODUCTION, TEST = {"organizationId": SERVICE_ID}, {"organizationId": PIPE_ID}
OLD_ORDERS = Piece("Service", "orders", {"name": "Orders", "id": SERVICE_ID}, provider=PRODUCTION)
BOARD = Piece("Dashboard", "board", {"name": "Board", "tiles": [], "serviceId": SERVICE_ID}, provider=TEST)
HOSTED = Piece("Dashboard", "board", {"name": "Board", "tiles": []}, provider={"stackUrl": "https://a.example.com"})
ALERT = Piece(
    "Alert",
    "errors",
    {"name": "Errors", "dashboardId": UNKNOWN},
    {"dashboardId": ("board",)},
    provider={"stackUrl": "https://b.example.com"},
)
TABLE = {"name": "Errors", "config": {"displayType": "table"}}
LINE = {"name": "Requests", "config": {"displayType": "line"}}
TABLES = Piece("Dashboard", "board", {"name": "Board", "tiles": [TABLE]})
BOARD_ID = "6b08ccf4690c99606839ff26"
OLD_TABLES = replace(TABLES, props={**TABLES.props, "id": BOARD_ID, "tileIds": {"Errors": "tile"}})
WATCHED = Piece("Alert", "errors", {"name": "Errors", "tileId": UNKNOWN}, {"tileId": ("board",)})

CASES = [
    StackCase(
        "one-scaling-per-pipe",
        fails=(SCALING, SECOND),
        says="pipeId is the id of a pipe that 'first' already scales; remove one of the two scalings",
        at="second",
        passes=(SCALING, replace(SECOND, props={"pipeId": SERVICE_ID, "replicas": 2})),
        unknown=(
            replace(SCALING, props={"pipeId": UNKNOWN}),
            replace(SECOND, props={"pipeId": UNKNOWN}),
            Piece("PipeScaling", "third", {}),
        ),
    ),
    StackCase(
        "one-scaling-per-pipe",
        fails=(NEW_PIPE, OF_NEW_PIPE),
        says="pipeId is the id of a pipe that 'events' already scales;",
        at="first",
        passes=(replace(NEW_PIPE, props={"name": "Events"}), OF_NEW_PIPE),
        unknown=(NEW_PIPE, replace(OF_NEW_PIPE, needs={})),
    ),
    StackCase(
        "one-scaling-per-pipe",
        fails=(replace(NEW_PIPE, props={"name": "Events"}), OF_NEW_PIPE, replace(OF_NEW_PIPE, name="second")),
        says="pipeId is the id of a pipe that 'first' already scales;",
        at="second",
        passes=(NEW_PIPE,),
    ),
    StackCase(
        "one-owner-per-property",
        fails=(TRACES, LINKS),
        says="Source 'traces' and SourceLinks 'links' both set logSourceId of Source 'traces': each update of one "
        "reverts the other; set each property in one of the two only.",
        at="traces",
        passes=(TRACES, replace(LINKS, props={"sourceId": UNKNOWN, "sessionSourceId": "sessions"})),
        unknown=(TRACES, replace(LINKS, needs={})),
    ),
    StackCase(
        "one-owner-per-property",
        fails=(ROLE, KEY),
        says="ApiKey 'ci' has the role of Role 'reader', whose actors lacks 'apiKey/",
        at="ci",
        passes=(replace(ROLE, props={"name": "Reader", "policies": []}), KEY),
        unknown=(ROLE, replace(KEY, needs={})),
    ),
    StackCase(
        "one-owner-per-property",
        fails=(ORDERS, ENDPOINT),
        says="PrivateEndpoint 'office' is attached to Service 'orders', whose privateEndpointIds lacks 'vpce-2a2b3c4d'",
        at="office",
        passes=(
            replace(ORDERS, props={"name": "Orders", "privateEndpointIds": ["vpce-1a2b3c4d", "vpce-2a2b3c4d"]}),
            ENDPOINT,
        ),
        unknown=(replace(ORDERS, props={"name": "Orders", "privateEndpointIds": [UNKNOWN]}), ENDPOINT),
    ),
    StackCase(
        "one-owner-per-property",
        fails=(OLD_TABLES, replace(WATCHED, props={"name": "Errors", "dashboardId": BOARD_ID, "tileId": "gone"})),
        says="Alert 'errors' watches a tile of Dashboard 'board', whose tileIds lacks 'gone'",
        at="errors",
        passes=(OLD_TABLES, replace(WATCHED, props={"name": "Errors", "dashboardId": BOARD_ID, "tileId": UNKNOWN})),
        unknown=(TABLES, WATCHED),
    ),
    StackCase(
        "unique-names",
        fails=(ORDERS, QUERY, replace(QUERY, name="again")),
        says="name is 'Top' as that of 'top'; change one of them.",
        at="again",
        passes=(ORDERS, QUERY, replace(QUERY, name="again", props={**QUERY.props, "name": "Other"})),
        unknown=(ORDERS, QUERY, replace(QUERY, name="again", needs={})),
    ),
    StackCase(
        "unique-names",
        fails=(ORDERS, replace(ORDERS, name="again")),
        says="name is 'Orders' as that of 'orders';",
        at="again",
        passes=(ORDERS, replace(ORDERS, name="again", props={**ORDERS.props, "allowDuplicateName": True})),
        unknown=(ORDERS, replace(ORDERS, name="again", props={"name": UNKNOWN})),
    ),
    StackCase(
        "alert-tile-keeps-alerts",
        fails=(TABLES, WATCHED),
        says="tileId is that of a tile of 'board', none of which keeps alerts; add a tile of displayType line,",
        at="errors",
        passes=(
            replace(TABLES, props={"name": "Board", "tiles": [TABLE, {"config": {"displayType": "line"}}]}),
            WATCHED,
        ),
        unknown=(replace(TABLES, props={"name": "Board", "tiles": [{"config": {"displayType": UNKNOWN}}]}), WATCHED),
    ),
    StackCase(
        "references-within-account",
        fails=(OLD_ORDERS, BOARD),
        says="serviceId is the id of 'orders', whose provider has another account; give both the same provider.",
        at="board",
        passes=(OLD_ORDERS, replace(BOARD, provider=PRODUCTION)),
        unknown=(OLD_ORDERS, replace(BOARD, provider={"organizationId": UNKNOWN})),
    ),
    StackCase(
        "references-within-account",
        fails=(HOSTED, ALERT),
        says="dashboardId is the id of 'board', whose provider has another account;",
        at="errors",
        passes=(HOSTED, replace(ALERT, provider={**(HOSTED.provider or {}), **TEST})),
        unknown=(HOSTED, replace(ALERT, needs={})),
    ),
]
