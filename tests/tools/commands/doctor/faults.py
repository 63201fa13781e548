"""Every fault that `clouddb doctor` finds, with its finding, its setup and its fix."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from commands.doctor.fronts import PAGE
from commands.doctor.plants import (
    EVERYWHERE,
    HTML,
    Act,
    OneResponse,
    Plant,
    before_sandbox,
    both,
    certificate,
    corrupt_record,
    dashboards_page,
    dead_proxy,
    delete_what_is_left,
    env,
    front,
    install,
    key,
    key_in_clear,
    late,
    made_elsewhere,
    missing_secret,
    misspelt_beside_an_empty_setting,
    misspelt_beside_an_empty_variable,
    misspelt_variable,
    no_authorities,
    no_cli,
    no_folder,
    no_network,
    no_plugin,
    no_usual_folder,
    nothing_set,
    nothing_there,
    old_python,
    old_sdk,
    once,
    other_authorities,
    other_cli,
    other_plugin,
    other_scheme,
    pending_create,
    raw,
    record_of_nothing,
    renew,
    renew_and_trust,
    repaired,
    requests,
    run_again,
    stack,
    start_another,
    take_the_listed_stack,
    token_in_clear,
    two_plugins,
    unknown_name,
    unknown_stack,
    use_the_sandbox,
    with_a_service,
    wrong_clock,
)
from support.raw import sends, silent


class Fault(NamedTuple):
    """A fault and its fix.

    Attributes:
        finding: The code of its finding, and the beginning of its advice.
        plant: Sets up the fault.
        placeholders: The settings that the user fills in the command of the finding.
        act: Does what the advice says if the finding has no command.
    """

    finding: str
    plant: Plant
    placeholders: str = ""
    act: Act | None = None


KEY = "KEY_ID KEY_SECRET"
CORRECT, MOVE = "invalid-setting: Correct it:", "Move its value there:"
NO_KEY = "refused-credentials: Set a key that exists, is enabled and has not expired:"
SLOW = "timeout: Check the server and the gateway in front of it; if they are only slow"
CLI = "(https://www.pulumi.com/docs/"
SOON = f"{datetime.now(timezone.utc) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
MANY_FAULTS = certificate("localhost", trusted=False, expired=True)
NO_SECRET = {"keySecret": "", "keySecrt": "{.key_secret}"}
BRITISH = {"organizationId": "", "organisationId": "{.organization_id}"}

FAULTS: dict[str, Fault] = {
    "a misspelt variable": Fault(f"misspelt-variable: {MOVE}", misspelt_variable),
    "a misspelt variable beside an empty one": Fault(f"misspelt-variable: {MOVE}", misspelt_beside_an_empty_variable),
    "a misspelt setting beside an empty one": Fault(f"misspelt-setting: {MOVE}", misspelt_beside_an_empty_setting),
    "a misspelt setting": Fault(f"misspelt-setting: {MOVE}", stack(BRITISH)),
    "a misspelt secret": Fault(f"misspelt-setting: {MOVE}", stack(NO_SECRET)),
    "a misspelt namespace": Fault(
        f"misspelt-setting: {MOVE}", stack({"organizationId": "", "cloudb:organizationId": "{.organization_id}"})
    ),
    "a /v1 too much": Fault(CORRECT, env(BASE_URL="{.url}/v1")),
    "an /api/v2 too much": Fault(CORRECT, stack({"stackUrl": "{.url}/api/v2"})),
    "plain http": Fault(CORRECT, both(certificate(), other_scheme)),
    "a word in another case": Fault(CORRECT, env(VOCABULARY="Neutral")),
    "a flag in another case": Fault(CORRECT, stack({"paid": "True"})),
    "a tier in another case": Fault(CORRECT, env(ORGANIZATION_TIER="Scale")),
    "seconds with a unit": Fault(CORRECT, stack({"requestTimeoutSeconds": "30s"})),
    "minutes in place of seconds": Fault(CORRECT, env(RETRY_TIMEOUT_SECONDS="2 min")),
    "a flag with another value": Fault(
        "invalid-setting: Set a valid value, or remove the setting to use the", env(PACING="yes")
    ),
    "a missing secret": Fault("missing-setting: Set it:", missing_secret),
    "a key in plain text": Fault("credential-in-clear: Replace this credential: everybody", key_in_clear),
    "a token in plain text": Fault("credential-in-clear: Replace this credential: everybody", token_in_clear),
    "a missing address": Fault(
        "missing-setting: Set it:", lambda machine: machine.environment.pop("CLOUDDB_BASE_URL"), "BASE_URL"
    ),
    "no settings at all": Fault("no-settings: Set the key", nothing_set, act=use_the_sandbox),
    "a stack that does not exist": Fault(
        "stack-unread: Run this command in the folder", unknown_stack, act=take_the_listed_stack
    ),
    "an unknown variable": Fault("misspelt-variable: Remove it:", env(QQQQ="1")),
    "an unknown setting": Fault("misspelt-setting: Remove it:", stack({"qqqq": "1"})),
    "a misspelt setting beside the correct one": Fault(
        "misspelt-setting: Remove it:", stack({"organisationId": "{.organization_id}"})
    ),
    "a key id with a colon": Fault("invalid-setting: Set a valid value:", env(KEY_ID="a:b"), KEY),
    # -- addresses
    "a closed port": Fault("refused: Start the server there, or set the address of a", nothing_there, "BASE_URL"),
    "an unknown host name": Fault(
        "unknown-name: Correct the name, or use a network whose DNS", unknown_name, "BASE_URL"
    ),
    "an unreachable network": Fault(
        "no-connection: Check the network and its firewalls, or set another", no_network, "BASE_URL"
    ),
    "authorities in a missing file": Fault("authorities: Correct its path, or unset it:", no_authorities),
    "authorities without certificates": Fault("authorities: Correct its path, or unset it:", other_authorities),
    "an untrusted certificate": Fault("certificate-untrusted: Ask its operator for the", certificate(trusted=False)),
    "an expired certificate": Fault(
        "certificate-expired: Have its operator renew it; if it is", certificate(expired=True), act=renew
    ),
    "a certificate of another name": Fault(
        "certificate-name: Use a name from the certificate:", certificate("localhost")
    ),
    "a certificate with three faults": Fault(
        "certificate-expired: Have its operator renew it", MANY_FAULTS, act=renew_and_trust
    ),
    "https to a server with http": Fault(
        "no-tls: Use plain http, which is accepted for loopback:", other_scheme, "BASE_URL"
    ),
    "https to another host with http": Fault(
        "no-tls: Set the address of its API:",
        both(lambda machine: before_sandbox(machine, host=EVERYWHERE), other_scheme),
        "BASE_URL",
    ),
    "http to a TLS server": Fault("tls: Use https:", both(certificate("127.0.0.1", host="127.0.0.1"), other_scheme)),
    "an unreachable proxy": Fault("proxy: Correct the proxy, or bypass it:", dead_proxy),
    "a redirect": Fault(
        "redirect: If that is the intended server, set its address:",
        front(lambda path, sandbox: (301, {"location": f"{sandbox.url}{path}"}, "")),
        "BASE_URL",
    ),
    "a redirect to a sign-in page": Fault(
        "redirect: Set the address of its API:",
        front(lambda *_: (302, {"location": "https://sign-in.example.com/"}, "")),
        "BASE_URL",
    ),
    "a page": Fault("page: Set the address of its API:", front(lambda *_: (200, HTML, "<h1>Sign in</h1>")), "BASE_URL"),
    "the user interface": Fault(
        "user-interface: Set the address of its API:", front(dashboards_page, "STACK_URL"), "STACK_URL"
    ),
    "an observability server": Fault(
        "other-server: Set it as clouddb:stackUrl:",
        front(lambda path, _: path if path.startswith("/api/") else PAGE, without="STACK_URL"),
        "BASE_URL",
    ),
    "a management API": Fault(
        "other-server: Set it as clouddb:baseUrl:",
        front(lambda path, _: path if path.startswith("/v1/") else PAGE, "STACK_URL", without="BASE_URL"),
        "STACK_URL",
    ),
    "an unknown path": Fault(
        "no-such-path: Set the address of its API, without /v1; set", env(BASE_URL="{.url}/cloud"), "BASE_URL"
    ),
    "a server that closes the connection": Fault("no-answer: Set the address of its API:", raw(sends()), "BASE_URL"),
    "a server that does not respond": Fault(SLOW, raw(silent), "BASE_URL", start_another),
    "a slow server": Fault(f"{SLOW}, increase", both(front(late), env(REQUEST_TIMEOUT_SECONDS="1"))),
    "a server that does not begin TLS": Fault(
        "no-tls: Check the server and the gateway in front of it, or", both(raw(silent), other_scheme), "BASE_URL"
    ),
    "a gateway that fails": Fault(
        "server-error: Check the server and the gateway in front of it, then run again:",
        once("list_services", "html", status=503),
    ),
    # -- credentials, and facts from responses
    "a wrong secret": Fault(NO_KEY, env(KEY_SECRET="a-secret-of-nobody"), KEY),
    "a wrong token": Fault(
        "refused-credentials: Set the access key from the user settings of this server:",
        env(STACK_TOKEN="a-token-of-nobody"),
        "STACK_TOKEN",
    ),
    "a key that expires soon": Fault("expires-soon: Set a key that expires later:", key(expireAt=SOON), KEY),
    "a key for other addresses": Fault(
        "ip-access-list: Add the address of this machine to the key's IP",
        key(ipAccessList=[{"source": "203.0.113.0/24"}]),
        KEY,
    ),
    "a key for queries": Fault(
        "role: Assign the key the role developer, or set a key that has it; only", key(roles=["query_endpoints"]), KEY
    ),
    "a developer's key": Fault(
        "role: If the program has an ApiKey or OrganizationSettings, or sets backups, set a",
        key(roles=["developer"]),
        KEY,
    ),
    "a key that may not list keys": Fault(
        "role: For resources of the type ApiKey, set a key with", once("list_keys", status=403), KEY
    ),
    "a user without permission to read": Fault(
        "role: Set the access key of a user with permission to read them:",
        once("self_hosted_list_sources", status=403, text="not allowed", times=1),
        "STACK_TOKEN",
    ),
    "another organization": Fault(
        "wrong-organization: Set the id of the key's organization:",
        env(ORGANIZATION_ID="5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"),
        "ORGANIZATION_ID",
    ),
    "a wrong clock": Fault("clock: Set the clock, or synchronize it over the network:", wrong_clock),
    "a reached limit": Fault(
        "limit-reached: Wait, and use separate keys for programs that run at", requests("management", "/services", 12)
    ),
    "a limit that is almost reached": Fault("limit-near: Wait until then:", requests("self-hosted", "/sources", 92)),
    "the vendor's dialect for another server": Fault(
        "dialect: Set the dialect, which is clickhouse now:", both(with_a_service, env(VOCABULARY="clickhouse"))
    ),
    # -- versions
    "no CLI": Fault(f"cli: Install the CLI, and put its folder on PATH {CLI}install/):", no_cli),
    "an old CLI": Fault(f"cli: Install a CLI of version 3 {CLI}install/), and put its", other_cli("echo v2.25.0")),
    "a broken CLI": Fault(f"cli: Reinstall it, and put its folder on PATH {CLI}", other_cli("exit 9")),
    "no plugin": Fault("no-plugin: For the native plugin, put its folder on PATH:", no_plugin),
    "another plugin": Fault("plugin-version: Put the plugin of this package first on PATH:", other_plugin),
    "two plugins": Fault("two-plugins: Remove it, so that no other shell uses it:", two_plugins),
    "an old Python": Fault(
        "python: Install the package in an environment with a supported Python.", old_python, act=install
    ),
    "an old SDK": Fault("sdk: Install a supported version:", old_sdk, act=install),
    # -- pending creates
    "a pending create": Fault(
        "pending: Run the program of this stack on a machine with this folder", pending_create, act=run_again
    ),
    "a pending create of an object that another machine created again": Fault(
        "pending: Run the program of this stack on", made_elsewhere, act=delete_what_is_left
    ),
    "an unreadable record": Fault("pending-unreadable: Search the server for the object it", corrupt_record),
    "a record of a deleted object": Fault("pending-gone: If it was deleted on purpose, remove", record_of_nothing),
    "a file in place of the folder": Fault("pending-folder: Use the default folder, or set a writable one:", no_folder),
    "no default folder": Fault("pending-folder: Set another folder:", no_usual_folder),
}

WELL = "server-error: Check the server and the gateway in front of it, then run again:"
LET_IN = "forbidden: Ask the operator of the server, or of the gateway in front of it, to admit this machine; then run"
ADDRESS = "page: Set the address of its API:"
NO_PATH = "no-such-path: Set the address of its API, without"
REFUSED = (
    "refused-request: Set the address of its API; if it is correct, report this message to the operator of the server:"
)
ONE_RESPONSE: dict[str, tuple[str, OneResponse]] = {
    "500 in JSON": (WELL, OneResponse(500, '{"status": 500, "error": "INTERNAL_ERROR"}')),
    "500 as {}": (WELL, OneResponse(500, "{}")),
    "500 as a page": (WELL, OneResponse(500, "<h1>oops</h1>", HTML)),
    "503 in JSON": (WELL, OneResponse(503, '{"status": 503, "message": "down"}')),
    "503 as text": (WELL, OneResponse(503, "no healthy upstream", {"content-type": "text/plain"})),
    "504 without a body": (WELL, OneResponse(504)),
    "501 in JSON": (NO_PATH, OneResponse(501, '{"status": 501, "error": "no", "message": "no"}')),
    "405 in JSON": (NO_PATH, OneResponse(405, '{"status": 405, "error": "no", "message": "no"}')),
    "{}": (ADDRESS, OneResponse(200, "{}")),
    "an empty list": (ADDRESS, OneResponse(200, "[]")),
    "null": (ADDRESS, OneResponse(200, "null")),
    "a text in JSON": (ADDRESS, OneResponse(200, '"hello"')),
    "an envelope of an object": (ADDRESS, OneResponse(200, '{"result": {}, "data": {}}')),
    "200 without a body": (ADDRESS, OneResponse(200)),
    "204": (ADDRESS, OneResponse(204, "", {})),
    "403 in JSON": (LET_IN, OneResponse(403, '{"status": 403, "error": "FORBIDDEN", "message": "Forbidden"}')),
    "403 as {}": (LET_IN, OneResponse(403, "{}")),
    "403 as a page": (ADDRESS, OneResponse(403, "<h1>Forbidden</h1>", HTML)),
    "400": (REFUSED, OneResponse(400, '{"status": 400, "error": "BAD_REQUEST: no", "message": "no"}')),
    "404 in JSON": (REFUSED, OneResponse(404, '{"status": 404, "error": "not found", "message": "not found"}')),
    "409": (REFUSED, OneResponse(409, '{"status": 409, "error": "CONFLICT", "message": "no"}')),
}
"""Responses of a server to every request, with the finding; doctor never reports that the server accepts anything."""

FAULTS |= {
    f"{name} at {setting}": Fault(
        finding, replace(response, setting=setting), setting, repaired if finding in (WELL, LET_IN) else None
    )
    for setting in ("BASE_URL", "STACK_URL")
    for name, (finding, response) in ONE_RESPONSE.items()
}
