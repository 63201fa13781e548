"""`clouddb doctor`: each fault is planted and found; what the finding says is done, and the finding is gone."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn
from unittest.mock import patch

import pytest
import trustme

from pulumi_clouddb.commands.doctor.checks import CHECKS
from pulumi_clouddb.commands.doctor.finding import DoctorExit
from pulumi_clouddb.sandbox import Clock, Sandbox
from support import fake_pulumi
from support.doctor import Finding, Machine, variables
from support.fronts import PAGE, Front
from support.raw import Raw, says, silent
from support.sessions import ProviderProcess, config_for

Plant = Callable[[Machine], object]
"""Plants a fault."""

Act = Callable[[Machine, Finding], None]
"""Does what a finding says where no command does it."""

Routed = str | tuple[int, dict[str, str], str]
"""The path at the sandbox, or what is answered."""

JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html"}


@pytest.fixture(params=["neutral"])
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Machine]:
    """A machine without a fault: its settings name a sandbox that limits requests, as servers do."""
    ahead = tmp_path / "ahead"
    clock = Clock(lambda: time.time() + (float(ahead.read_text()) if ahead.exists() else 0.0))
    with Sandbox(vocabulary=request.param, rate_limit=True, clock=clock) as sandbox, ExitStack() as ends:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CLOUDDB_")}
        bin_ = fake_pulumi.install(tmp_path / "bin", {})
        healthy = Machine(sandbox, tmp_path, {**clean, **variables(sandbox.config)}, ends=ends)
        healthy.environment["CLOUDDB_JOURNAL"] = str(tmp_path / "pending")
        healthy.environment["PATH"] = os.pathsep.join([str(bin_), sysconfig.get_path("scripts"), "/usr/bin", "/bin"])
        yield healthy


# -- settings --------------------------------------------------------------------------------------------------------


def env(**values: str) -> Plant:
    """Set variables; `{.url}` and the like stand for what the sandbox has."""

    def plant(machine: Machine) -> None:
        for name, value in values.items():
            machine.environment[f"CLOUDDB_{name}"] = value.format(machine.sandbox)

    return plant


def stack(changes: Mapping[str, str] = MappingProxyType({}), **install: Any) -> Plant:
    """Configure a stack in place of the environment, with changes; None takes a setting out."""

    def plant(machine: Machine) -> None:
        machine.stack = fake_pulumi.STACK
        for name in variables(machine.sandbox.config):
            machine.environment.pop(name)
        given = {f"clouddb:{name}" if ":" not in name else name: value for name, value in changes.items()}
        config = {**machine.sandbox.config, **{name: value.format(machine.sandbox) for name, value in given.items()}}
        kept = {name: value for name, value in config.items() if value}
        fake_pulumi.install(machine.folder / "bin", kept, **install)

    return plant


def misspelt_variable(machine: Machine) -> None:
    """Write the British spelling."""
    machine.environment["CLOUDDB_ORGANISATION_ID"] = machine.environment.pop("CLOUDDB_ORGANIZATION_ID")


def missing_secret(machine: Machine) -> None:
    """Leave out the secret of the key, which the command asks for."""
    stack({"keySecret": ""})(machine)
    machine.answers["stdin"] = machine.sandbox.key_secret


def key_in_clear(machine: Machine) -> None:
    """Configure the key in plain text; there will be another one."""
    stack(encrypted=["clouddb:stackToken"])(machine)
    made = machine.sandbox.add_key(name="another", roles=["admin"])
    machine.answers.update(YOUR_KEY_ID=made["keyId"], stdin=made["keySecret"])


def token_in_clear(machine: Machine) -> None:
    """The same of the other server, which knows one token only."""
    stack(encrypted=["clouddb:keySecret"])(machine)
    machine.answers["stdin"] = machine.sandbox.stack_token


def nothing_set(machine: Machine) -> None:
    """Run for the first time."""
    for name in variables(machine.sandbox.config):
        machine.answers[name.replace("CLOUDDB_", "YOUR_")] = machine.environment.pop(name)


def unknown_stack(machine: Machine) -> None:
    """Name a stack that the project does not have, so that nothing is configured either."""
    stack()(machine)
    machine.stack = "prod"


def take_the_listed_stack(machine: Machine, finding: Finding) -> None:
    """Run the command that lists the stacks, and take the one that it prints."""
    machine.stack = machine.do(finding["command"]).strip()


# -- addresses -------------------------------------------------------------------------------------------------------


def before_sandbox(machine: Machine, setting: str = "BASE_URL", **front: Any) -> Front:
    """Put a server before the sandbox, and let a setting name it."""
    server = machine.ends.enter_context(Front(machine.sandbox.url, **front))
    machine.environment[f"CLOUDDB_{setting}"] = server.url
    return server


def front(route: Callable[[str, Sandbox], Routed], setting: str = "BASE_URL", without: str = "") -> Plant:
    """Put a server before the sandbox that answers by this, and let a setting name it, and none the other server."""

    def plant(machine: Machine) -> None:
        before_sandbox(machine, setting, route=lambda path: route(path, machine.sandbox))
        machine.environment.pop(f"CLOUDDB_{without}", None)

    return plant


def dashboards_page(path: str, _: Sandbox) -> Routed:
    """Pass on what begins with /api, and answer everything else with a page, as the user interface does."""
    rest = path.removeprefix("/api")
    return rest if rest.startswith("/api/") else (200, HTML, "<h1>Dashboards</h1>")


def closed_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def nothing_there(machine: Machine) -> None:
    """Name a port on which nothing listens."""
    machine.environment["CLOUDDB_BASE_URL"] = f"http://127.0.0.1:{closed_port()}"


def unknown_name(machine: Machine) -> None:
    """No name server is asked: the system is made to know no name."""
    env(BASE_URL="https://api.nowhere.example")(machine)
    refused = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    real = socket.getaddrinfo

    def only_addresses(host: str, *more: object, **named: object) -> object:
        if host == "api.nowhere.example":
            raise refused
        return real(host, *more, **named)  # type: ignore[arg-type]

    machine.ends.enter_context(patch("socket.getaddrinfo", only_addresses))


def no_network(machine: Machine) -> None:
    """The system is made to know no way to one address."""
    env(BASE_URL="https://192.0.2.1")(machine)
    real = socket.create_connection

    def only_here(address: tuple[str, int], *more: Any, **named: Any) -> socket.socket:
        if address[0] == "192.0.2.1":
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return real(address, *more, **named)

    machine.ends.enter_context(patch("socket.create_connection", only_here))


EVERYWHERE = "0.0.0.0"  # noqa: S104 (every address of this machine, and none of them loopback by name)


def secure(
    machine: Machine,
    identity: str = EVERYWHERE,
    *,
    trusted: bool = True,
    expired: bool = False,
    host: str = EVERYWHERE,
) -> None:
    """Put TLS before the sandbox, on an address that is not taken for loopback, and let the address name it."""
    authority = trustme.CA()
    now = datetime.now(timezone.utc)
    ends = now - timedelta(days=1) if expired else now + timedelta(days=30)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(identity, not_before=now - timedelta(days=60), not_after=ends).configure_cert(context)
    file = machine.folder / "authority.pem"
    authority.cert_pem.write_to_path(file)
    if trusted:
        machine.environment["SSL_CERT_FILE"] = str(file)
    machine.answers["YOUR_AUTHORITIES.pem"] = str(file)
    before_sandbox(machine, tls=context, host=host)
    machine.renew = lambda: authority.issue_cert(identity).configure_cert(context)


def certificate(identity: str = EVERYWHERE, **how: Any) -> Plant:
    """Let the server have a certificate of a name or address."""
    return lambda machine: secure(machine, identity, **how)


def other_scheme(machine: Machine) -> None:
    """Say http where https is spoken, or the other way round."""
    url = machine.environment["CLOUDDB_BASE_URL"]
    other = url.replace("https:", "http:") if url.startswith("https:") else url.replace("http:", "https:")
    machine.environment["CLOUDDB_BASE_URL"] = other


def both(*plants: Plant) -> Plant:
    """Plant one after the other."""

    def plant(machine: Machine) -> None:
        for each in plants:
            each(machine)

    return plant


def renew(machine: Machine, finding: Finding) -> None:
    """Do what the operator of the server does."""
    assert finding["fix"].startswith("Have its operator renew it")
    machine.renew()


def dead_proxy(machine: Machine) -> None:
    """The environment names a proxy that is not there any more; loopback would not go through it."""
    secure(machine)
    machine.environment["HTTPS_PROXY"] = f"http://me:pr0xy-pass@127.0.0.1:{closed_port()}"


def raw(answers: Any) -> Plant:
    """Put a server there that answers by bytes, and give a request a second."""

    def plant(machine: Machine) -> None:
        machine.environment["CLOUDDB_BASE_URL"] = machine.ends.enter_context(Raw(answers)).url
        machine.environment["CLOUDDB_REQUEST_TIMEOUT_SECONDS"] = "1"

    return plant


def start_another(machine: Machine, finding: Finding) -> None:
    """Wait longer, as told: it still does not answer, so its operator starts it anew."""
    assert finding["command"] == "export CLOUDDB_REQUEST_TIMEOUT_SECONDS=60"
    machine.environment["CLOUDDB_BASE_URL"] = machine.sandbox.url


def late(path: str, _: Sandbox) -> str:
    """Take longer than a request may."""
    time.sleep(1.5)
    return path


def renew_and_trust(machine: Machine, finding: Finding) -> None:
    """Each finding is there at the first run."""
    codes = [each["code"] for each in machine.report()["findings"] if each["code"].startswith("certificate")]
    assert sorted(set(codes)) == ["certificate-expired", "certificate-name", "certificate-untrusted"]
    renew(machine, finding)


@dataclass
class OneAnswer:
    """Plants a server of nothing but one answer, at the address of either API, until somebody mends it.

    Attributes:
        status: The status of every response.
        body: The body of every response.
        headers: Its headers.
        setting: The setting whose address it is at.
    """

    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=lambda: JSON)
    setting: str = "BASE_URL"

    def __call__(self, machine: Machine) -> None:
        """Put it before the sandbox."""
        answer = self.status, self.headers, self.body
        broken: list[object] = [True]

        def route(path: str) -> Routed:
            machine.requests.append(path)
            return answer if broken else path

        before_sandbox(machine, self.setting, route=route)
        machine.renew = broken.clear


def mended(machine: Machine, finding: Finding) -> None:
    """Do what the operator of the server does, then run again, as told."""
    assert finding["command"] == "clouddb doctor"
    machine.renew()


# -- credentials, and what the answers tell --------------------------------------------------------------------------


def once(operation: str, kind: str = "status", **details: Any) -> Plant:
    """Let the server answer one request otherwise."""
    return lambda machine: machine.sandbox.fault(operation, kind, **details)


def key(**fields: object) -> Plant:
    """Let the settings name a key of these fields."""

    def plant(machine: Machine) -> None:
        made = machine.sandbox.add_key(**fields)
        machine.environment.update(CLOUDDB_KEY_ID=made["keyId"], CLOUDDB_KEY_SECRET=made["keySecret"])

    return plant


def in_place_of(machine: Machine, command: str, script: str) -> None:
    """Put a script on PATH in place of a command of the system."""
    file = machine.folder / "bin" / command
    file.write_text(script, encoding="utf-8")
    file.chmod(0o755)


def wrong_clock(machine: Machine) -> None:
    """The server is two hours ahead; a command in place of the system's brings both together."""
    (machine.folder / "ahead").write_text("7200", encoding="utf-8")
    in_place_of(machine, "sudo", '#!/bin/sh\nexec "$@"\n')
    in_place_of(machine, "timedatectl", f"#!/bin/sh\nrm {machine.folder}/ahead\n")


def requests(surface: str, path: str, count: int) -> Plant:
    """Use up requests of a window, which `sleep` ends at once."""

    def plant(machine: Machine) -> None:
        with machine.sandbox.management() if surface == "management" else machine.sandbox.self_hosted() as http:
            for _ in range(count):
                http.get(path)
        reset = f"urllib.request.urlopen('{machine.sandbox.url}/_sandbox/reset', b'').close()"
        in_place_of(machine, "sleep", f"#!{sys.executable}\nimport urllib.request\n{reset}\n")

    return plant


def with_a_service(machine: Machine) -> None:
    """Its records show that the server is not one of the vendor's."""
    machine.sandbox.add("services", name="orders")


# -- versions --------------------------------------------------------------------------------------------------------


def no_cli(machine: Machine) -> None:
    """It is in a folder that is not on PATH."""
    other = fake_pulumi.install(machine.folder / "elsewhere", {})
    (machine.folder / "bin" / "pulumi").unlink()
    machine.answers["YOUR_PULUMI_FOLDER"] = str(other)


def other_cli(script: str) -> Plant:
    """Another one is before it on PATH."""
    return both(no_cli, lambda machine: in_place_of(machine, "pulumi", f"#!/bin/sh\n{script}\n"))


def old_python(machine: Machine) -> None:
    """One that the package was never made for."""
    machine.ends.enter_context(patch("platform.python_version", lambda: "3.8.1"))


def old_sdk(machine: Machine) -> None:
    """Of another major version; what installs another one does nothing here."""
    real = metadata.version
    machine.ends.enter_context(
        patch("importlib.metadata.version", lambda name: "2.0.0" if name == "pulumi" else real(name))
    )
    in_place_of(machine, "pip", "#!/bin/sh\n")


def install(machine: Machine, finding: Finding) -> None:
    """Install what a finding asks for: the versions are those of the tests again."""
    assert finding["command"] == "" or re.fullmatch(r"pip install 'pulumi\S+'", finding["command"])
    machine.do(finding["command"])
    machine.ends.close()


def no_plugin(machine: Machine) -> None:
    """PATH lacks the environment's own folder."""
    folders = machine.environment["PATH"].split(os.pathsep)
    folders.remove(sysconfig.get_path("scripts"))
    machine.environment["PATH"] = os.pathsep.join(folders)


def other_plugin(machine: Machine) -> None:
    """Another one is found before that of this package."""
    in_place_of(machine, "pulumi-resource-clouddb", "#!/bin/sh\necho 0.0.1\n")


def two_plugins(machine: Machine) -> None:
    """Another one is found after that of this package."""
    other_plugin(machine)
    old = machine.folder / "old"
    old.mkdir()
    (machine.folder / "bin" / "pulumi-resource-clouddb").rename(old / "pulumi-resource-clouddb")
    machine.environment["PATH"] += f"{os.pathsep}{old}"


# -- pending creates -------------------------------------------------------------------------------------------------

URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::ci"
CI = {"name": "ci", "roles": ["developer"]}


def pending(machine: Machine) -> tuple[Path, str]:
    """Create a key as a run does that dies before Pulumi has it in its state; return its record, and its id."""
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    object_id, _ = process.create("ApiKey", CI, urn=URN)
    machine.environment["CLOUDDB_JOURNAL"] = str(process.pending.folder)
    (record,) = process.pending.folder.glob("*.json")
    return record, object_id


def pending_create(machine: Machine) -> None:
    """Its object is there, and the next run of the program finds it."""
    pending(machine)


def run_again(machine: Machine, finding: Finding) -> None:
    """Run the same create again, as `pulumi up` does; it makes no second key."""
    assert finding["command"] == "pulumi up --stack dev"
    before = len(machine.sandbox.keys)
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    object_id, _ = process.create("ApiKey", CI, urn=URN)
    process.pending.holds(object_id, URN)
    assert len(machine.sandbox.keys) == before


def made_elsewhere(machine: Machine) -> None:
    """Another machine has run the program since: state holds its key, and here an orphan is left."""
    pending(machine)
    ProviderProcess(config_for(machine.sandbox), machine.folder / "other").create("ApiKey", CI, urn=URN)


def delete_what_is_left(machine: Machine, finding: Finding) -> None:
    """Run the program, as told: the warning stays. Then delete the key and the record that it names."""
    assert finding["command"] == "pulumi up --stack dev"
    *_, (held, record) = machine.sandbox.keys.items()
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    process.pending.holds(held, URN)
    assert process.changes("ApiKey", {**CI, "id": held}, CI) == ()
    machine.sandbox.advance(11)  # the limit of requests begins anew
    assert machine.findings("pending") == [finding]
    found = re.search(r"delete (\S+) unless a stack holds it, and remove (\S+)\. First run:$", finding["fix"])
    assert found
    assert found[1] != held
    machine.sandbox.remove("keys", found[1])
    Path(found[2]).unlink()
    assert [each["id"] for each in machine.sandbox.keys.values() if each["name"] == "ci"] == [record["id"]]


def corrupt_record(machine: Machine) -> None:
    """Half of it was written."""
    record, _ = pending(machine)
    record.write_text(record.read_text(encoding="utf-8")[:40], encoding="utf-8")


def record_of_nothing(machine: Machine) -> None:
    """Somebody has deleted the key."""
    _, object_id = pending(machine)
    machine.sandbox.remove("keys", object_id)


def no_folder(machine: Machine) -> None:
    """A file is where the folder should be; the usual folder is another one."""
    (machine.folder / "file").touch()
    machine.environment.update(HOME=str(machine.folder), CLOUDDB_JOURNAL=str(machine.folder / "file"))


def no_usual_folder(machine: Machine) -> None:
    """A file is where Pulumi's own folder should be, and no other one is set."""
    (machine.folder / "file").touch()
    del machine.environment["CLOUDDB_JOURNAL"]
    machine.environment["PULUMI_HOME"] = str(machine.folder / "file")
    machine.answers["YOUR_FOLDER"] = str(machine.folder / "pending")


# -- all of them -----------------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    """A fault, and what ends it.

    Attributes:
        said: The code of its finding, and what its fix begins with.
        plant: Plants it.
        asks: The settings that the command of the finding asks its user for.
        act: What is done by somebody, where no command does it.
    """

    said: str
    plant: Plant
    asks: str = ""
    act: Act | None = None


KEY = "KEY_ID KEY_SECRET"
CORRECT, MOVE = "invalid-setting: Correct it:", "Move its value there:"
NO_KEY = "refused-credentials: Set a key that exists, is enabled and has not expired:"
SLOW = "timeout: Look at the server and the gateway before it; if they are only slow"
CLI = "(https://www.pulumi.com/docs/"
SOON = f"{datetime.now(timezone.utc) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
MANY_FAULTS = certificate("localhost", trusted=False, expired=True)
NO_SECRET = {"keySecret": "", "keySecrt": "{.key_secret}"}
BRITISH = {"organizationId": "", "organisationId": "{.organization_id}"}

FAULTS: dict[str, Fault] = {
    "a misspelt variable": Fault(f"misspelt-variable: {MOVE}", misspelt_variable),
    "a misspelt setting": Fault(f"misspelt-setting: {MOVE}", stack(BRITISH)),
    "a misspelt secret": Fault(f"misspelt-setting: {MOVE}", stack(NO_SECRET)),
    "a misspelt namespace": Fault(
        f"misspelt-setting: {MOVE}", stack({"organizationId": "", "cloudb:organizationId": "{.organization_id}"})
    ),
    "a /v1 too much": Fault(CORRECT, env(BASE_URL="{.url}/v1")),
    "an /api/v2 too much": Fault(CORRECT, stack({"stackUrl": "{.url}/api/v2"})),
    "plain http": Fault(CORRECT, both(certificate(), other_scheme)),
    "a flag that is none": Fault(
        "invalid-setting: Set it to such a value, or remove it, which means the", env(PACING="yes")
    ),
    "a secret that is missing": Fault("missing-setting: Set it:", missing_secret),
    "a key in plain text": Fault("credential-in-clear: Make a new one and delete this one", key_in_clear),
    "a token in plain text": Fault("credential-in-clear: Make a new one and delete this one", token_in_clear),
    "an address that is missing": Fault(
        "missing-setting: Set it:", lambda machine: machine.environment.pop("CLOUDDB_BASE_URL"), "BASE_URL"
    ),
    "no settings at all": Fault("no-settings: Set the management API:", nothing_set),
    "a stack that does not exist": Fault(
        "stack-unread: Run it in the folder of the Pulumi", unknown_stack, act=take_the_listed_stack
    ),
    "a variable of no setting": Fault("misspelt-variable: Remove it:", env(QQQQ="1")),
    "a setting that is none": Fault("misspelt-setting: Remove it:", stack({"qqqq": "1"})),
    "a setting with a misspelt leftover": Fault(
        "misspelt-setting: Remove it:", stack({"organisationId": "{.organization_id}"})
    ),
    "a key id with a colon": Fault("invalid-setting: Give it such a value:", env(KEY_ID="a:b"), KEY),
    # -- addresses
    "a port that nothing listens on": Fault(
        "refused: Start the server there, or set the address of the",
        nothing_there,
        "BASE_URL",
    ),
    "a name that nobody knows": Fault(
        "unknown-name: Correct the name, or ask for it in the network that", unknown_name, "BASE_URL"
    ),
    "a network without a way": Fault(
        "no-connection: Check the network and its firewalls, or set another", no_network, "BASE_URL"
    ),
    "an untrusted certificate": Fault("certificate-untrusted: Ask its operator for the", certificate(trusted=False)),
    "an expired certificate": Fault(
        "certificate-expired: Have its operator renew it; if it is", certificate(expired=True), act=renew
    ),
    "a certificate of another name": Fault(
        "certificate-name: Use the name that the certificate", certificate("localhost")
    ),
    "a certificate with three faults": Fault(
        "certificate-expired: Have its operator renew it", MANY_FAULTS, act=renew_and_trust
    ),
    "https where http is spoken": Fault(
        "no-tls: Use plain http, which is accepted for loopback:", other_scheme, "BASE_URL"
    ),
    "https where another host speaks http": Fault(
        "no-tls: Set the address of its API:",
        both(lambda machine: before_sandbox(machine, host=EVERYWHERE), other_scheme),
        "BASE_URL",
    ),
    "http at a TLS port": Fault("tls: Use https:", both(certificate("127.0.0.1", host="127.0.0.1"), other_scheme)),
    "a proxy that is gone": Fault("proxy: Correct the proxy, or reach the server without it:", dead_proxy),
    "a redirect": Fault(
        "redirect: If this is the server that you mean, set its address:",
        front(lambda path, sandbox: (301, {"location": f"{sandbox.url}{path}"}, "")),
        "BASE_URL",
    ),
    "a page to sign in": Fault(
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
    "a path that is not there": Fault(
        "no-such-path: Set the address of its API, without /v1; paths of", env(BASE_URL="{.url}/cloud"), "BASE_URL"
    ),
    "a server that hangs up": Fault("no-answer: Set the address of its API:", raw(says()), "BASE_URL"),
    "a server that hangs": Fault(SLOW, raw(silent), "BASE_URL", start_another),
    "a slow server": Fault(f"{SLOW}, wait", both(front(late), env(REQUEST_TIMEOUT_SECONDS="1"))),
    "a server that begins no TLS": Fault(
        "no-tls: Look at the server and the gateway before it, or", both(raw(silent), other_scheme), "BASE_URL"
    ),
    "a gateway that fails": Fault(
        "server-error: Look at the server and the gateway before it, then run again:",
        once("list_services", "html", status=503),
    ),
    # -- credentials, and what the answers tell
    "a wrong secret": Fault(NO_KEY, env(KEY_SECRET="a-secret-of-nobody"), KEY),
    "a wrong token": Fault(
        "refused-credentials: Set the access key that this server shows its user:",
        env(STACK_TOKEN="a-token-of-nobody"),
        "STACK_TOKEN",
    ),
    "a key that expires soon": Fault("expires-soon: Set a key that lasts:", key(expireAt=SOON), KEY),
    "a key for elsewhere": Fault(
        "ip-access-list: Put the address of this machine on the key's IP",
        key(ipAccessList=[{"source": "203.0.113.0/24"}]),
        KEY,
    ),
    "a key for queries": Fault(
        "role: Give the key the role developer, or set one that has it; the role", key(roles=["query_endpoints"]), KEY
    ),
    "a developer's key": Fault(
        "role: If the program has an ApiKey or OrganizationSettings, or sets backups, set a",
        key(roles=["developer"]),
        KEY,
    ),
    "a key that may not list keys": Fault(
        "role: For resources of the type ApiKey, set a key with", once("list_keys", status=403), KEY
    ),
    "a user who may not read": Fault(
        "role: Set the access key of a user who may read them:",
        once("self_hosted_list_sources", status=403, text="not allowed", times=1),
        "STACK_TOKEN",
    ),
    "another organization": Fault(
        "wrong-organization: Set the id of the key's organization:",
        env(ORGANIZATION_ID="5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"),
        "ORGANIZATION_ID",
    ),
    "a wrong clock": Fault("clock: Set the clock, or let the network set it:", wrong_clock),
    "a limit that is reached": Fault(
        "limit-reached: Wait, and give programs that run at the same time", requests("management", "/services", 12)
    ),
    "a limit that is near": Fault("limit-near: Wait until then:", requests("self-hosted", "/sources", 92)),
    "the vendor's words for another server": Fault(
        "dialect: Set the dialect, which is clickhouse now:", both(with_a_service, env(VOCABULARY="clickhouse"))
    ),
    # -- versions
    "no CLI": Fault(f"cli: Install the CLI, and put its folder on PATH {CLI}install/):", no_cli),
    "an old CLI": Fault(f"cli: Install a CLI of version 3 {CLI}install/), and put its", other_cli("echo v2.25.0")),
    "a broken CLI": Fault(f"cli: Install it anew, and put its folder on PATH {CLI}", other_cli("exit 9")),
    "no plugin": Fault("no-plugin: For the native plugin, put its folder on PATH:", no_plugin),
    "another plugin": Fault("plugin-version: Put the plugin of this package first on PATH:", other_plugin),
    "two plugins": Fault("two-plugins: Remove it, so that no other shell takes it:", two_plugins),
    "an old Python": Fault("python: Install the package in an environment of such a Python.", old_python, act=install),
    "an old SDK": Fault("sdk: Install such a version:", old_sdk, act=install),
    # -- pending creates
    "a pending create": Fault(
        "pending: Run the program of this stack on a machine with this folder", pending_create, act=run_again
    ),
    "a pending create of what another machine made": Fault(
        "pending: Run the program of this stack on", made_elsewhere, act=delete_what_is_left
    ),
    "a record that cannot be read": Fault(
        "pending-unreadable: Look on the server for what it may have", corrupt_record
    ),
    "a record of an object that is gone": Fault(
        "pending-gone: If it was deleted on purpose, remove", record_of_nothing
    ),
    "a folder that is none": Fault(
        "pending-folder: Take the usual folder, or set one that can be written to:", no_folder
    ),
    "no folder at all": Fault("pending-folder: Set another folder:", no_usual_folder),
}

WELL = "server-error: Look at the server and the gateway before it, then run again:"
LET_IN = "forbidden: Ask who runs the server, or the gateway before it, to let this machine in; then run again:"
ADDRESS = "page: Set the address of its API:"
NO_PATH = "no-such-path: Set the address of its API, without"
REFUSED = "refused-request: Set the address of its API; if this is it, show these words to who runs the server:"
ONE_ANSWER: dict[str, tuple[str, OneAnswer]] = {
    "500 in JSON": (WELL, OneAnswer(500, '{"status": 500, "error": "INTERNAL_ERROR"}')),
    "500 as {}": (WELL, OneAnswer(500, "{}")),
    "500 as a page": (WELL, OneAnswer(500, "<h1>oops</h1>", HTML)),
    "503 in JSON": (WELL, OneAnswer(503, '{"status": 503, "message": "down"}')),
    "503 as text": (WELL, OneAnswer(503, "no healthy upstream", {"content-type": "text/plain"})),
    "504 without a body": (WELL, OneAnswer(504)),
    "501 in JSON": (NO_PATH, OneAnswer(501, '{"status": 501, "error": "no", "message": "no"}')),
    "405 in JSON": (NO_PATH, OneAnswer(405, '{"status": 405, "error": "no", "message": "no"}')),
    "{}": (ADDRESS, OneAnswer(200, "{}")),
    "an empty list": (ADDRESS, OneAnswer(200, "[]")),
    "null": (ADDRESS, OneAnswer(200, "null")),
    "a text in JSON": (ADDRESS, OneAnswer(200, '"hello"')),
    "an envelope of an object": (ADDRESS, OneAnswer(200, '{"result": {}, "data": {}}')),
    "200 without a body": (ADDRESS, OneAnswer(200)),
    "204": (ADDRESS, OneAnswer(204, "", {})),
    "403 in JSON": (LET_IN, OneAnswer(403, '{"status": 403, "error": "FORBIDDEN", "message": "Forbidden"}')),
    "403 as {}": (LET_IN, OneAnswer(403, "{}")),
    "403 as a page": (ADDRESS, OneAnswer(403, "<h1>Forbidden</h1>", HTML)),
    "400": (REFUSED, OneAnswer(400, '{"status": 400, "error": "BAD_REQUEST: no", "message": "no"}')),
    "404 in JSON": (REFUSED, OneAnswer(404, '{"status": 404, "error": "not found", "message": "not found"}')),
    "409": (REFUSED, OneAnswer(409, '{"status": 409, "error": "CONFLICT", "message": "no"}')),
}
"""What a server says to everything, and what is said of it: never that it accepts anything."""

FAULTS |= {
    f"{name} at {setting}": Fault(
        said, replace(answer, setting=setting), setting, mended if said in (WELL, LET_IN) else None
    )
    for setting in ("BASE_URL", "STACK_URL")
    for name, (said, answer) in ONE_ANSWER.items()
}


def wrong(report: list[Finding], code: str) -> list[Finding]:
    """Return the findings of a kind that are not well; a note that nothing is to be done about is."""
    return [each for each in report if each["code"] == code and each["level"] != "ok" and each["fix"]]


def acquitted(report: list[Finding], setting: str) -> list[Finding]:
    """Return the findings that a server accepts credentials, an organization or requests, or speaks a dialect."""
    checks = ("credentials", "limit", "dialect", *(("organization",) if setting == "BASE_URL" else ()))
    of = {"BASE_URL": "clouddb:baseUrl ", "STACK_URL": "clouddb:stackUrl "}[setting]
    well = [each for each in report if each["level"] == "ok" and each["check"] in checks]
    return [each for each in well if of in each["message"] or each["check"] == "organization"]


EXIT_CODES = {"error": DoctorExit.ERRORS, "warning": DoctorExit.WARNINGS, "note": DoctorExit.WELL}


FIRST_OF_ITS_KIND = {fault.said.partition(":")[0]: name for name, fault in reversed(FAULTS.items())}.values()
"""A fault for each finding; the others are slow."""


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if name in FIRST_OF_ITS_KIND else pytest.mark.slow, id=name)
        for name, fault in FAULTS.items()
    ],
)
def test_a_fault_is_found_and_what_is_said_ends_it(fault: Fault, machine: Machine) -> None:
    """All findings of its kind say the same. What else was wrong ends in the same way."""
    said, plant, asks, act = fault
    code = said.partition(":")[0]
    plant(machine)
    for name in asks.split():  # both addresses are that of the sandbox
        machine.answers[f"YOUR_{name}"] = getattr(machine.sandbox, name.lower(), machine.sandbox.url)
    examined = machine.report()
    report = examined["findings"]
    found, *others = wrong(report, code)
    worst = next(level for level in EXIT_CODES if any(each["level"] == level for each in report))
    assert EXIT_CODES[worst] == examined["exitCode"]
    assert list(EXIT_CODES).index(found["level"]) >= list(EXIT_CODES).index(worst)
    assert f"{code}: {found['fix']}".startswith(said)
    assert {each["command"] for each in others} <= {found["command"]}
    if isinstance(plant, OneAnswer):
        assert not acquitted(report, plant.setting)
    if not code.startswith("limit-"):
        machine.sandbox.advance(11)  # the limit of requests begins anew
    if act is None:
        machine.do(found["command"])
    else:
        act(machine, found)
    report = machine.report()["findings"]
    assert wrong(report, code) == []
    if others := [each for each in report if each["level"] in ("error", "warning")]:
        machine.sandbox.advance(11)
        for finding in others:
            machine.do(finding["command"])
        report = machine.report()["findings"]
    assert not [each for each in report if each["level"] in ("error", "warning")], report


def test_a_limit_that_is_reached_is_not_waited_out(machine: Machine) -> None:
    """One request is enough, of each server."""
    limited = {**JSON, "x-ratelimit-reset": "33"}
    for setting in ("BASE_URL", "STACK_URL"):
        OneAnswer(429, "{}", limited, setting)(machine)
    started = time.monotonic()
    findings = machine.findings("limit-reached")
    assert time.monotonic() - started < 20
    assert [each["command"] for each in findings] == ["sleep 33", "sleep 33"]
    assert len(machine.requests) == 2


def test_a_limit_that_doctor_itself_meets_is_said(machine: Machine) -> None:
    """What was not examined is not well; the checks that were done stay."""
    machine.sandbox.fault("list_keys", "rate_limit", reset=7)
    (found,) = machine.findings("limit-met")
    assert (found["level"], found["fix"]) == ("warning", "Examine it once more after that time:")
    assert found["command"] == "sleep 7"
    machine.sandbox.advance(11)
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize(
    ("said", "plant"),
    [
        ("dialect: Set the dialect, which is neutral", env(VOCABULARY="neutral")),
        ("wrong-organization: Set it:", FAULTS["another organization"].plant),
    ],
    ids=["dialect", "organization"],
)
def test_the_vendors_server_tells_what_is_right(said: str, plant: Plant, machine: Machine) -> None:
    """Nothing is left to fill in."""
    plant(machine)
    code = said.partition(":")[0]
    found = wrong(machine.report()["findings"], code)
    assert f"{code}: {found[0]['fix']}".startswith(said)
    machine.do(found[0]["command"])
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize("services", [0, 1], ids=["no service", "a service"])
def test_a_server_that_knows_no_organizations_may_be_the_vendors(machine: Machine, services: int) -> None:
    """A gateway passes on what it likes: nothing is advised that would take the marks of creates away."""
    for _ in range(services):
        machine.sandbox.add("services", name="orders")
    hidden = ("/v1/organizations", "/api/v2", "/api/v2/")
    gateway = Front(machine.sandbox.url, lambda path: PAGE if path in hidden else path)
    machine.ends.enter_context(gateway)
    machine.environment.update(CLOUDDB_BASE_URL=gateway.url, CLOUDDB_STACK_URL=gateway.url)
    report = machine.report()
    assert report["outcome"] == "well"
    assert not [each for each in report["findings"] if "VOCABULARY" in each["command"]]
    told = {
        each["message"].partition(";")[0]: each["level"] for each in report["findings"] if each["code"] == "dialect"
    }
    unknown = "clouddb:{} does not show which dialect it speaks"
    spoken = "clouddb:baseUrl is a management API of the vendor and speaks clickhouse"
    assert told == {spoken if services else unknown.format("baseUrl"): "ok" if services else "note"} | {
        unknown.format("stackUrl"): "note"
    }


ESCAPES = "\x1b[2J\x1b]0;owned\x9b31m\u202e"
"""What clears a terminal, renames its window, and turns the direction of writing."""


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["lines", "json"])
def test_what_files_and_servers_say_is_printable(machine: Machine, options: tuple[str, ...]) -> None:
    """A record, and the words of a server; in JSON they are the same words as before."""
    record, _ = pending(machine)
    content = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**content, "what": f"key {ESCAPES}"}), encoding="utf-8")
    machine.sandbox.fault("list_services", "status", status=403, text=f"no {ESCAPES}", times=9)
    printed = machine.doctor(*options).stdout
    assert all(each.isprintable() for each in printed.splitlines())
    assert printed.count(r"\u001b[2J\u001b]0;owned\u009b31m\u202e") >= 2
    if options:
        assert ESCAPES in "".join(each["message"] for each in json.loads(printed)["findings"])


def test_the_machine_of_the_tests_is_well(machine: Machine) -> None:
    """Else the tests above would prove nothing. As a user runs it."""
    machine.own_process = True
    report = machine.report()
    assert {each["level"] for each in report["findings"]} <= {"ok", "note"}, report


def test_a_line_is_a_finding_with_what_to_do(machine: Machine) -> None:
    """Without colours and without a break where the output is no terminal; the last line counts."""
    FAULTS["a /v1 too much"].plant(machine)
    done = machine.doctor()
    assert done.returncode == DoctorExit.ERRORS
    *lines, last = done.stdout.splitlines()
    assert last == "1 error, 0 warnings"
    assert lines[0] == (
        f"error   settings: clouddb:baseUrl must not end in /v1, which every request adds: set it to "
        f"`{machine.sandbox.url}`, not '{machine.sandbox.url}/v1'. "
        f"Correct it: export CLOUDDB_BASE_URL={machine.sandbox.url}"
    )
    assert {line.split()[0] for line in lines[1:]} <= {"ok", "note"}


SECRET_VALUES = {
    "credentials in an address": ("CLOUDDB_BASE_URL", "https://me:s3cr3t-pass@api.example.com/v1"),
    "a token in an address": ("CLOUDDB_BASE_URL", "https://api.example.com/v1?token=s3cr3t-pass"),
    "a line break in a secret": ("CLOUDDB_KEY_SECRET", "s3cr3t-pass\n"),
    "a colon in a key id": ("CLOUDDB_KEY_ID", "id:s3cr3t-pass"),
    "a secret in a misspelt variable": ("CLOUDDB_KEY_SECRETT", "s3cr3t-pass"),
}


@pytest.mark.parametrize(("variable", "value"), SECRET_VALUES.values(), ids=SECRET_VALUES)
def test_what_may_be_secret_is_not_shown(variable: str, value: str, machine: Machine) -> None:
    """Neither in a finding nor in a command."""
    machine.environment[variable] = value
    done = machine.doctor()
    assert done.returncode in (DoctorExit.ERRORS, DoctorExit.WARNINGS)
    assert "s3cr3t" not in done.stdout


def test_an_option_that_does_not_exist_is_usage(machine: Machine) -> None:
    """As with every command."""
    assert machine.doctor("--jsn").returncode == DoctorExit.USAGE


@pytest.mark.parametrize("machine", ["neutral", "clickhouse"], indirect=True)
def test_it_only_reads_and_asks_little(machine: Machine) -> None:
    """At most seven requests, each once, within the narrowest of the published limits."""
    machine.report()
    requests = [(each.method, each.path) for each in machine.sandbox.requests]
    assert {method for method, _ in requests} == {"GET"}
    assert len(set(requests)) == len(requests) <= 7


def test_a_check_that_breaks_is_a_finding(machine: Machine) -> None:
    """The others go on."""

    def breaks(_: object) -> NoReturn:
        raise ZeroDivisionError(f"with {machine.sandbox.key_secret}")

    broken = replace(CHECKS[1], run=breaks)
    with patch("pulumi_clouddb.commands.doctor.checks.examine.__defaults__", ((CHECKS[0], broken, *CHECKS[2:]),)):
        report = machine.report()
    found = {each["code"]: each for each in report["findings"] if each["check"] == "addresses"}
    assert list(found) == ["broken-check"]
    assert found["broken-check"]["fix"] == "Report it to the maintainers of pulumi-clouddb, with this line."
    assert found["broken-check"]["message"] == "the check itself failed: ZeroDivisionError: with [secret]"
    assert {each["check"] for each in report["findings"]} == {check.name for check in CHECKS}


@pytest.mark.skipif(not shutil.which("pulumi"), reason="there is no pulumi on PATH")
def test_the_real_cli_moves_a_misspelt_secret(machine: Machine) -> None:
    """The value goes from one key to the other, is a secret afterwards, and is shown nowhere."""
    cli = Path(str(shutil.which("pulumi"))).parent
    machine.environment.update(
        PATH=f"{cli}{os.pathsep}{machine.environment['PATH']}",
        PULUMI_BACKEND_URL=f"file://{machine.folder}",
        PULUMI_HOME=str(machine.folder / "home"),
        PULUMI_CONFIG_PASSPHRASE="x",
        PULUMI_SKIP_UPDATE_CHECK="1",
    )
    (machine.folder / "Pulumi.yaml").write_text("name: shop\nruntime: python\n", encoding="utf-8")
    machine.do("pulumi stack init dev")
    config = {**machine.sandbox.config, "clouddb:keySecrt": machine.sandbox.key_secret}
    del config["clouddb:keySecret"]
    for name, value in config.items():
        flag = "--secret" if name in ("clouddb:keySecrt", "clouddb:stackToken") else "--plaintext"
        machine.do(f"pulumi config set {flag} {name} '{value}'")
    for name in variables(machine.sandbox.config):
        del machine.environment[name]
    machine.stack, machine.own_process = "dev", True
    (found,) = machine.findings("misspelt-setting")
    machine.do(found["command"])
    assert machine.report()["outcome"] == "well"
    assert re.search(r"clouddb:keySecret +\[secret\]", machine.do("pulumi config"))


def test_a_misspelt_setting_is_not_missing_beside_that(machine: Machine) -> None:
    """One fault is one finding."""
    misspelt_variable(machine)
    levels = {each["code"]: each["level"] for each in machine.report()["findings"]}
    assert [code for code, level in levels.items() if level not in ("ok", "note")] == ["misspelt-variable"]


def test_a_record_that_another_process_works_on_is_left_alone(machine: Machine) -> None:
    """It is noted, with its stack."""
    record, _ = pending(machine)
    holder = "import sys, pathlib; from pulumi_clouddb.create.locks import MachineLocks; "
    holder += "from pulumi_clouddb.client.runtime import Runtime; path = pathlib.Path(sys.argv[1]); "
    holder += "MachineLocks(path.parent, Runtime()).acquire(str(path), 0.0); print('held', flush=True); "
    holder += "sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, str(record)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        (found,) = machine.findings("pending-busy")
        other.communicate("")
    assert "(stack dev, sent 20" in found["message"]
    assert machine.findings("pending-busy") == []


def test_a_record_of_other_settings_is_noted(machine: Machine) -> None:
    """Whether its object is there cannot be known with these."""
    pending(machine)
    machine.environment["CLOUDDB_STACK_URL"] = "http://localhost:1"
    (found,) = machine.findings("pending-elsewhere")
    assert found["level"] == "note"
