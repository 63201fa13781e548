"""Services that a program stops and starts, and what depends on them."""

from __future__ import annotations

from typing import Any

from clouddb_tools.testing import UNKNOWN
from things.pipes.life import STREAM

from .case import Case, Run, Step
from .cases_service_settings import CLICKHOUSE, SERVICE, by_hand, case, has_on_server, has_settings, written
from .differences import IMPORT, NO_REASONS
from .steps import change, check, create, delete, diff, fault, from_here_on, import_, later_command, refresh, update

STOPPED = {**SERVICE, "stopped": True}
STARTED = {**SERVICE, "stopped": False}
VALUES: dict[str, Any] = {"settings": {"max_query_size": "1"}}
REFUSED = (
    "{} cannot change while service '[e2e]-orders_1' is stopped\n"
    "Set stopped to false to start it for this change, or leave settings as it is."
)
PIPE = STREAM.before


def becomes(state: str) -> Step:
    """Change the state of the service on the server."""
    return change(lambda run: run.sandbox.change("services", run.id, state=state))


def another_of_its_warehouse(state: str) -> Step:
    """Add a second service to the warehouse."""

    def act(run: Run) -> None:
        with run.sandbox.management() as http:
            warehouse = http.get(f"/services/{run.id}").json()["result"]["dataWarehouseId"]
        other = run.sandbox.add("services", name="reports", dataWarehouseId=warehouse)
        run.sandbox.change("services", other["id"], state=state)

    return change(act)


def of_a_stopped_service(run: Run) -> None:
    """Add a service, stop it, and name it `$service_id`."""
    service = run.sandbox.add("services", name="orders")
    run.sandbox.change("services", service["id"], state="stopped")
    run.names["service_id"] = service["id"]


CASES = [
    case(
        "it is stopped after everything else is set, and stays so",
        from_here_on(),
        create({**STOPPED, **VALUES}, outputs={"state": "stopped", "lastError": None}),
        written("create_service", "update_settings", "command_service"),
        has_on_server("", state="stopped"),
        later_command(),
        from_here_on(),
        refresh(inputs={"stopped": True}),
        diff({**STOPPED, **VALUES}, changes=False),
        update({**STOPPED, **VALUES, "numReplicas": 5}, outputs={"state": "stopped"}),
        written("scale_service"),
        has_on_server("", state="stopped", numReplicas=5),
    ),
    case(
        "it is started before the changes, and stopped after them",
        create(STOPPED),
        from_here_on(),
        update({**STARTED, **VALUES}, outputs={"state": "running"}),
        written("command_service", "update_settings"),
        from_here_on(),
        update({**STOPPED, "settings": {"max_query_size": "2"}}, outputs={"state": "stopped"}),
        written("update_settings", "command_service"),
        has_settings(max_query_size="2"),
    ),
    case(
        "a start or stop by hand is drift, and is put back",
        create(STOPPED),
        by_hand("PATCH", "/state", command="start"),
        becomes("running"),
        later_command(),
        refresh(inputs={"stopped": False}),
        diff(STOPPED, changes=True, replaces=[]),
        update(STOPPED),
        has_on_server("", state="stopped"),
        update(STARTED),
        becomes("stopped"),
        later_command(),
        refresh(inputs={"stopped": True}),
        diff(STARTED, changes=True, replaces=[]),
        update(STARTED),
        has_on_server("", state="running"),
    ),
    case(
        "an idle service counts as started, and nothing wakes it",
        create(STARTED),
        becomes("idle"),
        later_command(),
        from_here_on(),
        refresh(inputs={"stopped": False}, outputs={"state": "idle"}),
        diff(STARTED, changes=False),
        update({**STARTED, "idleTimeoutMinutes": 20}),
        written("scale_service"),
        has_on_server("", state="idle"),
        update(STOPPED),
        has_on_server("", state="stopped"),
    ),
    case(
        "a program that does not set it leaves the service as it is",
        create(SERVICE),
        becomes("stopped"),
        later_command(),
        refresh(inputs={"stopped": None}, outputs={"state": "stopped", "stopped": None}),
        diff(SERVICE, changes=False),
        from_here_on(),
        update({**SERVICE, "numReplicas": 5}, outputs={"state": "stopped"}),
        written("scale_service"),
        update({**STARTED, "numReplicas": 5}, outputs={"state": "running"}),
        update({**SERVICE, "numReplicas": 5}, outputs={"state": "running"}),
        has_on_server("", state="running"),
    ),
    case(
        "settings of the engine are refused at check while it stays stopped",
        create({**STOPPED, "settings": {"max_query_size": "1", "keep_alive_timeout": "30"}}),
        check(
            {**STOPPED, "settings": {"max_query_size": "2"}},
            messages=[REFUSED.format("settings.keep_alive_timeout (to its default), settings.max_query_size (to '2')")],
        ),
        check({**STARTED, "settings": {"max_query_size": "2"}}, failures=[]),
        check({**STOPPED, "settings": {"max_query_size": UNKNOWN, "keep_alive_timeout": "30"}}, failures=[]),
        check({**STOPPED, "settings": {"max_query_size": "1", "keep_alive_timeout": "30"}, "name": "b"}, failures=[]),
        check(
            {**SERVICE, "settings": {"keep_alive_timeout": "30"}},
            messages=[REFUSED.format("settings.max_query_size (to its default)")],
        ),
    ),
    case(
        "a wrong setting that kept it from being stopped is corrected without a start",
        create({**STOPPED, "settings": {"max_query_sise": "1"}}),
        has_on_server("", state="running"),
        later_command(),
        check({**STOPPED, **VALUES}, failures=[]),
        from_here_on(),
        update({**STOPPED, **VALUES}, outputs={"state": "stopped", "lastError": None}),
        written("update_settings", "command_service"),
        differs=frozenset({NO_REASONS}),
    ),
    case(
        "the primary service of a warehouse stops after the others",
        create(SERVICE),
        another_of_its_warehouse("running"),
        later_command(),
        check(STOPPED, failures=["service"]),
        update(STOPPED, fails="primary service of a warehouse can only be stopped after its secondary services"),
    ),
    case(
        "the primary service of a warehouse is stopped if the others are",
        create(SERVICE),
        another_of_its_warehouse("stopped"),
        later_command(),
        check(STOPPED, failures=[]),
        update(STOPPED, outputs={"state": "stopped"}),
    ),
    case(
        "a lost response of the command loses nothing",
        fault("command_service", "lose"),
        create(STOPPED, outputs={"state": "stopped", "lastError": None}),
        fault("command_service", "lose"),
        update(STARTED, outputs={"state": "running", "lastError": None}),
        has_on_server("", state="running"),
    ),
    case(
        "while another operation runs, the command is repeated",
        fault("command_service", "status", status=409, text="another operation runs", times=2),
        create(STOPPED, outputs={"state": "stopped", "lastError": None}),
    ),
    case(
        "a refused stop of a new service is repeated by the next update",
        fault("command_service", "status", status=400, text="BAD_REQUEST: not yet"),
        create({**STOPPED, **VALUES}),
        has_on_server("", state="running"),
        later_command(),
        diff({**STOPPED, **VALUES}, changes=True, replaces=[]),
        update({**STOPPED, **VALUES}, outputs={"state": "stopped", "lastError": None}),
        differs=frozenset({NO_REASONS}),
    ),
    case(
        "a service that has stopped after an error is started for what is sent again",
        fault("command_service", "status", status=400, text="BAD_REQUEST: not yet"),
        create({**STOPPED, **VALUES}),
        becomes("stopped"),
        later_command(),
        from_here_on(),
        update({**STOPPED, **VALUES}, outputs={"state": "stopped", "lastError": None}),
        written("command_service", "update_settings", "command_service"),
        differs=frozenset({NO_REASONS}),
    ),
    case(
        "a lost response of the create leaves one service, stopped",
        fault("create_service", "lose"),
        create({**STOPPED, **VALUES}, outputs={"state": "stopped", "lastError": None}),
        has_settings(max_query_size="1"),
        diff({**STOPPED, **VALUES}, changes=False),
    ),
    case("it is deleted as it is", create(STOPPED), from_here_on(), delete(), written("delete_service")),
    case(
        "an import says that it is stopped",
        create(STOPPED),
        later_command(),
        import_("$id", inputs={"stopped": True}),
        becomes("idle"),
        later_command(),
        import_("$id", inputs={"stopped": None}),
        differs=frozenset({IMPORT}),
    ),
    Case(
        "pipe of a stopped service: the error says how to start it, and a destroy needs no start",
        "Pipe",
        (
            change(of_a_stopped_service),
            create(PIPE, fails="is stopped: .*\nStart it, or set stopped of the Service to false"),
            change(lambda run: run.sandbox.change("services", run.names["service_id"], state="running")),
            later_command(),
            create(PIPE),
            change(lambda run: run.sandbox.change("services", run.names["service_id"], state="stopped")),
            later_command(),
            refresh(),
            diff(PIPE, changes=False),
            delete(),
        ),
        server=CLICKHOUSE,
    ),
]
