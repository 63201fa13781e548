"""Functions that set up the faults of `clouddb doctor` on a machine, and that follow the advice."""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import trustme

from clouddb_tools.sandbox import Sandbox
from commands.doctor.fronts import Front
from commands.doctor.machine import Finding, Machine, variables
from support import fake_pulumi
from support.raw import Raw
from support.sessions import ProviderProcess, config_for

Plant = Callable[[Machine], object]
"""Sets up a fault."""

Act = Callable[[Machine, Finding], None]
"""Follows the advice of a finding without a command."""

Routed = str | tuple[int, dict[str, str], str]
"""The path at the sandbox, or a response."""

JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html"}


# -- settings --------------------------------------------------------------------------------------------------------


def env(**values: str) -> Plant:
    """Set variables; `{.url}` and the like are replaced by attributes of the sandbox."""

    def plant(machine: Machine) -> None:
        for name, value in values.items():
            machine.environment[f"CLOUDDB_{name}"] = value.format(machine.sandbox)

    return plant


def no_authorities(machine: Machine) -> None:
    """Follow the advice for an untrusted certificate, but leave its placeholder."""
    machine.environment["SSL_CERT_FILE"] = "YOUR_AUTHORITIES.pem"


def other_authorities(machine: Machine) -> None:
    """Set a file without certificates."""
    machine.environment["SSL_CERT_FILE"] = __file__


def stack(changes: Mapping[str, str] = MappingProxyType({}), **install: Any) -> Plant:
    """Configure a stack in place of the environment, with changes; an empty value removes a setting."""

    def plant(machine: Machine) -> None:
        machine.stack = fake_pulumi.STACK
        for name in variables(machine.sandbox.config):
            machine.environment.pop(name)
        changed = {f"clouddb:{name}" if ":" not in name else name: value for name, value in changes.items()}
        config = {**machine.sandbox.config, **{name: value.format(machine.sandbox) for name, value in changed.items()}}
        remaining = {name: value for name, value in config.items() if value}
        fake_pulumi.install(machine.folder / "bin", remaining, **install)

    return plant


def misspelt_variable(machine: Machine) -> None:
    """Use the British spelling."""
    machine.environment["CLOUDDB_ORGANISATION_ID"] = machine.environment.pop("CLOUDDB_ORGANIZATION_ID")


def misspelt_beside_an_empty_variable(machine: Machine) -> None:
    """Use the British spelling, with an empty variable of the correct name, as in scripts."""
    misspelt_variable(machine)
    machine.environment["CLOUDDB_ORGANIZATION_ID"] = ""


def misspelt_beside_an_empty_setting(machine: Machine) -> None:
    """Do the same in a stack's configuration."""
    stack()(machine)
    config = {**machine.sandbox.config, "clouddb:organizationId": ""}
    config["clouddb:organisationId"] = machine.sandbox.organization_id
    fake_pulumi.install(machine.folder / "bin", config)


def missing_secret(machine: Machine) -> None:
    """Omit the secret of the key, which the command prompts for."""
    stack({"keySecret": ""})(machine)
    machine.values["stdin"] = machine.sandbox.key_secret


def key_in_clear(machine: Machine) -> None:
    """Configure the key in plain text; another key replaces it."""
    stack(encrypted=["clouddb:stackToken"])(machine)
    made = machine.sandbox.add_key(name="another", roles=["admin"])
    machine.values.update(YOUR_KEY_ID=made["keyId"], stdin=made["keySecret"])


def token_in_clear(machine: Machine) -> None:
    """Configure the token in plain text; the observability server has only one token."""
    stack(encrypted=["clouddb:keySecret"])(machine)
    machine.values["stdin"] = machine.sandbox.stack_token


def nothing_set(machine: Machine) -> None:
    """Remove all settings, as before the first run."""
    for name in variables(machine.sandbox.config):
        machine.values[name.replace("CLOUDDB_", "YOUR_")] = machine.environment.pop(name)


def use_the_sandbox(machine: Machine, finding: Finding) -> None:
    """Set the address, without which requests would go to the vendor's server, and run the command."""
    machine.environment["CLOUDDB_BASE_URL"] = machine.sandbox.url
    machine.do(finding["command"])


def unknown_stack(machine: Machine) -> None:
    """Select a stack that does not exist, so that no settings are found."""
    stack()(machine)
    machine.stack = "prod"


def take_the_listed_stack(machine: Machine, finding: Finding) -> None:
    """Run the command that lists the stacks, and select the one that it prints."""
    machine.stack = machine.do(finding["command"]).strip()


# -- addresses -------------------------------------------------------------------------------------------------------


def before_sandbox(machine: Machine, setting: str = "BASE_URL", **front: Any) -> Front:
    """Start a server in front of the sandbox, and set its address."""
    server = machine.ends.enter_context(Front(machine.sandbox.url, **front))
    machine.environment[f"CLOUDDB_{setting}"] = server.url
    return server


def front(route: Callable[[str, Sandbox], Routed], setting: str = "BASE_URL", without: str = "") -> Plant:
    """Start a server with this route in front of the sandbox, and set its address; `without` is unset."""

    def plant(machine: Machine) -> None:
        before_sandbox(machine, setting, route=lambda path: route(path, machine.sandbox))
        machine.environment.pop(f"CLOUDDB_{without}", None)

    return plant


def dashboards_page(path: str, _: Sandbox) -> Routed:
    """Forward paths below /api, and return a page for all others, as the user interface does."""
    rest = path.removeprefix("/api")
    return rest if rest.startswith("/api/") else (200, HTML, "<h1>Dashboards</h1>")


def closed_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def nothing_there(machine: Machine) -> None:
    """Set a port on which nothing listens."""
    machine.environment["CLOUDDB_BASE_URL"] = f"http://127.0.0.1:{closed_port()}"


def unknown_name(machine: Machine) -> None:
    """Set a host name that does not resolve; no name server is queried."""
    env(BASE_URL="https://api.nowhere.example")(machine)
    refused = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    real = socket.getaddrinfo

    def only_addresses(host: str, *more: object, **named: object) -> object:
        if host == "api.nowhere.example":
            raise refused
        return real(host, *more, **named)  # type: ignore[arg-type]

    machine.ends.enter_context(patch("socket.getaddrinfo", only_addresses))


def no_network(machine: Machine) -> None:
    """Set an address that is unreachable."""
    env(BASE_URL="https://192.0.2.1")(machine)
    real = socket.create_connection

    def only_here(address: tuple[str, int], *more: Any, **named: Any) -> socket.socket:
        if address[0] == "192.0.2.1":
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return real(address, *more, **named)

    machine.ends.enter_context(patch("socket.create_connection", only_here))


EVERYWHERE = "0.0.0.0"  # noqa: S104 (all addresses of this machine, but not a name of loopback)


def secure(
    machine: Machine, identity: str = EVERYWHERE, *, trusted: bool = True, expired: bool = False, host: str = EVERYWHERE
) -> None:
    """Start a TLS server in front of the sandbox, at an address that is not loopback, and set its address."""
    authority = trustme.CA()
    now = datetime.now(timezone.utc)
    ends = now - timedelta(days=1) if expired else now + timedelta(days=30)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(identity, not_before=now - timedelta(days=60), not_after=ends).configure_cert(context)
    file = machine.folder / "authority.pem"
    authority.cert_pem.write_to_path(file)
    if trusted:
        machine.environment["SSL_CERT_FILE"] = str(file)
    machine.values["YOUR_AUTHORITIES.pem"] = str(file)
    before_sandbox(machine, tls=context, host=host)
    machine.renew = lambda: authority.issue_cert(identity).configure_cert(context)


def certificate(identity: str = EVERYWHERE, **how: Any) -> Plant:
    """Use a certificate for a name or an address."""
    return lambda machine: secure(machine, identity, **how)


def other_scheme(machine: Machine) -> None:
    """Replace https by http in the address, or the reverse."""
    url = machine.environment["CLOUDDB_BASE_URL"]
    other = url.replace("https:", "http:") if url.startswith("https:") else url.replace("http:", "https:")
    machine.environment["CLOUDDB_BASE_URL"] = other


def both(*plants: Plant) -> Plant:
    """Set up several faults."""

    def plant(machine: Machine) -> None:
        for each in plants:
            each(machine)

    return plant


def renew(machine: Machine, finding: Finding) -> None:
    """Renew the certificate, as the operator of the server does."""
    assert finding["fix"].startswith("Have its operator renew it")
    machine.renew()


def dead_proxy(machine: Machine) -> None:
    """Set a proxy that does not exist, with an address that is not loopback, which needs no proxy."""
    secure(machine)
    machine.environment["HTTPS_PROXY"] = f"http://me:pr0xy-pass@127.0.0.1:{closed_port()}"


def raw(talk: Any) -> Plant:
    """Use a server that sends raw bytes, with a request timeout of one second."""

    def plant(machine: Machine) -> None:
        machine.environment["CLOUDDB_BASE_URL"] = machine.ends.enter_context(Raw(talk)).url
        machine.environment["CLOUDDB_REQUEST_TIMEOUT_SECONDS"] = "1"

    return plant


def start_another(machine: Machine, finding: Finding) -> None:
    """Increase the timeout, as advised, and restart the server."""
    assert finding["command"] == "export CLOUDDB_REQUEST_TIMEOUT_SECONDS=60"
    machine.environment["CLOUDDB_BASE_URL"] = machine.sandbox.url


def late(path: str, _: Sandbox) -> str:
    """Respond after the request timeout."""
    time.sleep(1.5)
    return path


def renew_and_trust(machine: Machine, finding: Finding) -> None:
    """Check that the first run reports all three findings, then renew the certificate."""
    codes = [each["code"] for each in machine.report()["findings"] if each["code"].startswith("certificate")]
    assert sorted(set(codes)) == ["certificate-expired", "certificate-name", "certificate-untrusted"]
    renew(machine, finding)


@dataclass
class OneResponse:
    """Sets up a server with the same response to every request, at the address of either API, until it is repaired."""

    status: int
    body: str = ""
    headers: dict[str, str] = field(default_factory=lambda: JSON)
    setting: str = "BASE_URL"

    def __call__(self, machine: Machine) -> None:
        """Start the server in front of the sandbox."""
        response = self.status, self.headers, self.body
        broken: list[object] = [True]

        def route(path: str) -> Routed:
            machine.requests.append(path)
            return response if broken else path

        before_sandbox(machine, self.setting, route=route)
        machine.renew = broken.clear


def repaired(machine: Machine, finding: Finding) -> None:
    """Repair the server, as its operator does; the advice is to run again."""
    assert finding["command"] == "clouddb doctor"
    machine.renew()


# -- credentials, and facts from responses ---------------------------------------------------------------------------


def once(operation: str, kind: str = "status", **details: Any) -> Plant:
    """Set a fault of the sandbox."""
    return lambda machine: machine.sandbox.fault(operation, kind, **details)


def key(**fields: object) -> Plant:
    """Use a key with these fields."""

    def plant(machine: Machine) -> None:
        made = machine.sandbox.add_key(**fields)
        machine.environment.update(CLOUDDB_KEY_ID=made["keyId"], CLOUDDB_KEY_SECRET=made["keySecret"])

    return plant


def in_place_of(machine: Machine, command: str, script: str) -> None:
    """Put a script on PATH that replaces a command of the system."""
    file = machine.folder / "bin" / command
    file.write_text(script, encoding="utf-8")
    file.chmod(0o755)


def wrong_clock(machine: Machine) -> None:
    """Set the server's clock two hours ahead; the replaced system commands reset it."""
    (machine.folder / "ahead").write_text("7200", encoding="utf-8")
    in_place_of(machine, "sudo", '#!/bin/sh\nexec "$@"\n')
    in_place_of(machine, "timedatectl", f"#!/bin/sh\nrm {machine.folder}/ahead\n")


def requests(surface: str, path: str, count: int) -> Plant:
    """Send many requests; the replaced command `sleep` ends the window at once."""

    def plant(machine: Machine) -> None:
        with machine.sandbox.management() if surface == "management" else machine.sandbox.self_hosted() as http:
            for _ in range(count):
                http.get(path)
        reset = f"urllib.request.urlopen('{machine.sandbox.url}/_sandbox/reset', b'').close()"
        in_place_of(machine, "sleep", f"#!{sys.executable}\nimport urllib.request\n{reset}\n")

    return plant


def with_a_service(machine: Machine) -> None:
    """Add a service, whose record shows that the server is not one of the vendor's."""
    machine.sandbox.add("services", name="orders")


# -- versions --------------------------------------------------------------------------------------------------------


def no_cli(machine: Machine) -> None:
    """Move the CLI to a folder that is not on PATH."""
    other = fake_pulumi.install(machine.folder / "elsewhere", {})
    (machine.folder / "bin" / "pulumi").unlink()
    machine.values["YOUR_PULUMI_FOLDER"] = str(other)


def other_cli(script: str) -> Plant:
    """Put another CLI first on PATH."""
    return both(no_cli, lambda machine: in_place_of(machine, "pulumi", f"#!/bin/sh\n{script}\n"))


def old_python(machine: Machine) -> None:
    """Run with an unsupported version of Python."""
    machine.ends.enter_context(patch("platform.python_version", lambda: "3.8.1"))


def old_sdk(machine: Machine) -> None:
    """Use an SDK of another major version; the replaced `pip` does nothing."""
    real = metadata.version
    machine.ends.enter_context(
        patch("importlib.metadata.version", lambda name: "2.0.0" if name == "pulumi" else real(name))
    )
    in_place_of(machine, "pip", "#!/bin/sh\n")


def install(machine: Machine, finding: Finding) -> None:
    """Run the command, and restore the real versions."""
    assert finding["command"] == "" or re.fullmatch(r"pip install 'pulumi\S+'", finding["command"])
    machine.do(finding["command"])
    machine.ends.close()


def no_plugin(machine: Machine) -> None:
    """Remove the folder of the environment from PATH."""
    folders = machine.environment["PATH"].split(os.pathsep)
    folders.remove(sysconfig.get_path("scripts"))
    machine.environment["PATH"] = os.pathsep.join(folders)


def other_plugin(machine: Machine) -> None:
    """Put another plugin on PATH, before that of this package."""
    in_place_of(machine, "pulumi-resource-clouddb", "#!/bin/sh\necho 0.0.1\n")


def two_plugins(machine: Machine) -> None:
    """Put another plugin on PATH, after that of this package."""
    other_plugin(machine)
    old = machine.folder / "old"
    old.mkdir()
    (machine.folder / "bin" / "pulumi-resource-clouddb").rename(old / "pulumi-resource-clouddb")
    machine.environment["PATH"] += f"{os.pathsep}{old}"


# -- pending creates -------------------------------------------------------------------------------------------------

URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::ci"
CI = {"name": "ci", "roles": ["developer"]}


def pending(machine: Machine) -> tuple[Path, str]:
    """Create a key in a run that dies before it is in state; return its record and its id."""
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    object_id, _ = process.create("ApiKey", CI, urn=URN)
    machine.environment["CLOUDDB_JOURNAL"] = str(process.pending.folder)
    (record,) = process.pending.folder.glob("*.json")
    return record, object_id


def pending_create(machine: Machine) -> None:
    """Leave a pending create whose object exists; the next run adopts it."""
    pending(machine)


def run_again(machine: Machine, finding: Finding) -> None:
    """Run the same create again, as `pulumi up` does; it creates no second key."""
    assert finding["command"] == "pulumi up --stack dev"
    before = len(machine.sandbox.keys)
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    object_id, _ = process.create("ApiKey", CI, urn=URN)
    process.pending.finish(object_id, URN)
    assert len(machine.sandbox.keys) == before


def made_elsewhere(machine: Machine) -> None:
    """Run the program on another machine: its key is in state, and the first key is an orphan."""
    pending(machine)
    ProviderProcess(config_for(machine.sandbox), machine.folder / "other").create("ApiKey", CI, urn=URN)


def delete_what_is_left(machine: Machine, finding: Finding) -> None:
    """Run the program, as advised; the warning remains. Then delete the key and the record that it names."""
    assert finding["command"] == "pulumi up --stack dev"
    *_, (in_state, record) = machine.sandbox.keys.items()
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    process.pending.finish(in_state, URN)
    assert process.changes("ApiKey", {**CI, "id": in_state}, CI) == ()
    machine.sandbox.advance(11)  # a new window of the rate limit
    assert machine.findings("pending") == [finding]
    found = re.search(r"delete (\S+) unless a stack contains it, and remove (\S+)\. First run:$", finding["fix"])
    assert found
    assert found[1] != in_state
    machine.sandbox.remove("keys", found[1])
    Path(found[2]).unlink()
    assert [each["id"] for each in machine.sandbox.keys.values() if each["name"] == "ci"] == [record["id"]]


def corrupt_record(machine: Machine) -> None:
    """Truncate a record."""
    record, _ = pending(machine)
    record.write_text(record.read_text(encoding="utf-8")[:40], encoding="utf-8")


def record_of_nothing(machine: Machine) -> None:
    """Leave a record whose key was deleted."""
    _, object_id = pending(machine)
    machine.sandbox.remove("keys", object_id)


def no_folder(machine: Machine) -> None:
    """Put a file in place of the configured folder."""
    (machine.folder / "file").touch()
    machine.environment.update(HOME=str(machine.folder), CLOUDDB_JOURNAL=str(machine.folder / "file"))


def no_usual_folder(machine: Machine) -> None:
    """Put a file in place of Pulumi's folder, without another folder in the settings."""
    (machine.folder / "file").touch()
    del machine.environment["CLOUDDB_JOURNAL"]
    machine.environment["PULUMI_HOME"] = str(machine.folder / "file")
    machine.values["YOUR_FOLDER"] = str(machine.folder / "pending")
