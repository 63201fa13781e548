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
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, timezone
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn
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

Plant = Callable[[Machine], None]
"""Plants a fault, and writes down what its user answers when a command asks."""

Act = Callable[[Machine, Finding], None]
"""Does what a finding says where no command does it."""


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


def of_stack(plant: Plant) -> Plant:
    """Return what plants a fault in the configuration of a stack instead of the environment."""

    def planted(machine: Machine) -> None:
        machine.stack = fake_pulumi.STACK
        for name in variables(machine.sandbox.config):
            machine.environment.pop(name)
        plant(machine)

    return planted


def configured(machine: Machine, **changes: str) -> None:
    """Give the stack its configuration, with changes; an empty value leaves a setting out."""
    config = {**machine.sandbox.config, **{f"clouddb:{name}": value for name, value in changes.items()}}
    fake_pulumi.install(machine.folder / "bin", {name: value for name, value in config.items() if value})


def closed_port() -> int:
    """Return a port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def at(machine: Machine, setting: str, url: str, right: str | None = None) -> None:
    """Let a setting name an address, and its user answer with the right one when a command asks."""
    machine.environment[f"CLOUDDB_{setting}"] = url
    machine.answers[f"YOUR_{setting}"] = right or machine.sandbox.url


# -- settings --------------------------------------------------------------------------------------------------------


def misspelt_variable(machine: Machine) -> None:
    """An English spelling."""
    machine.environment["CLOUDDB_ORGANISATION_ID"] = machine.environment.pop("CLOUDDB_ORGANIZATION_ID")


def misspelt_key(machine: Machine) -> None:
    """The same in a stack."""
    configured(machine, organizationId="", organisationId=machine.sandbox.organization_id)


def misspelt_secret(machine: Machine) -> None:
    """Its value goes from one key to the other without being shown."""
    configured(machine, keySecret="", keySecrt=machine.sandbox.key_secret)


def version_in_address(machine: Machine) -> None:
    """What every request adds stands in the address."""
    machine.environment["CLOUDDB_BASE_URL"] += "/v1"


def misspelt_namespace(machine: Machine) -> None:
    """The name of the setting is right, that of the provider is not."""
    config = {**machine.sandbox.config, "cloudb:organizationId": machine.sandbox.organization_id}
    del config["clouddb:organizationId"]
    fake_pulumi.install(machine.folder / "bin", config)


def api_version_in_address(machine: Machine) -> None:
    """The same of the self-hosted server, in a stack."""
    configured(machine, stackUrl=f"{machine.sandbox.url}/api/v2")


def missing_secret(machine: Machine) -> None:
    """The stack has a key without its secret, which the command asks for."""
    configured(machine, keySecret="")
    machine.answers["stdin"] = machine.sandbox.key_secret


def credential_in_clear(machine: Machine) -> None:
    """The key is not encrypted in the configuration of the stack; there will be another one."""
    fake_pulumi.install(machine.folder / "bin", machine.sandbox.config, encrypted=["clouddb:stackToken"])
    made = machine.sandbox.add_key(name="another", roles=["admin"])
    machine.answers.update(YOUR_KEY_ID=made["keyId"], stdin=made["keySecret"])


def token_in_clear(machine: Machine) -> None:
    """The same of the other server, which knows one token only."""
    fake_pulumi.install(machine.folder / "bin", machine.sandbox.config, encrypted=["clouddb:keySecret"])
    machine.answers["stdin"] = machine.sandbox.stack_token


def missing_address(machine: Machine) -> None:
    """The neutral dialect has no address of its own."""
    del machine.environment["CLOUDDB_BASE_URL"]
    machine.answers["YOUR_BASE_URL"] = machine.sandbox.url


def unknown_variable(machine: Machine) -> None:
    """No name of a setting is near."""
    machine.environment["CLOUDDB_QQQQ"] = "1"


def unknown_setting(machine: Machine) -> None:
    """The same in a stack."""
    configured(machine, qqqq="1")


def setting_twice(machine: Machine) -> None:
    """The misspelt name is a leftover: the right one is set, too."""
    configured(machine, organisationId=machine.sandbox.organization_id)


def key_id_with_a_colon(machine: Machine) -> None:
    """HTTP Basic cannot send it."""
    machine.environment["CLOUDDB_KEY_ID"] = "a:b"
    good_key(machine)


def nothing_set(machine: Machine) -> None:
    """A first run."""
    for name in variables(machine.sandbox.config):
        machine.answers[name.replace("CLOUDDB_", "YOUR_")] = machine.environment.pop(name)


def invalid_flag(machine: Machine) -> None:
    """It is to be true or false."""
    machine.environment["CLOUDDB_PACING"] = "yes"


def unknown_stack(machine: Machine) -> None:
    """The project has no such stack, so that nothing is configured either."""
    configured(machine)
    machine.stack = "prod"


def take_the_listed_stack(machine: Machine, finding: Finding) -> None:
    """Run the command that lists the stacks, and take the one that it prints."""
    machine.stack = machine.do(finding["command"]).strip()


# -- addresses -------------------------------------------------------------------------------------------------------


def refused_port(machine: Machine) -> None:
    """Nothing listens."""
    at(machine, "BASE_URL", f"http://127.0.0.1:{closed_port()}")


def unknown_name(machine: Machine) -> None:
    """No name server is asked: the system is made to know no name."""
    at(machine, "BASE_URL", "https://api.nowhere.example")
    refused = socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    real = socket.getaddrinfo

    def only_addresses(host: str, *more: object, **named: object) -> object:
        if host == "api.nowhere.example":
            raise refused
        return real(host, *more, **named)  # type: ignore[arg-type]

    machine.ends.enter_context(patch("socket.getaddrinfo", only_addresses))


EVERYWHERE = "0.0.0.0"  # noqa: S104 (every address of this machine, and none of them loopback by name)


def secure(
    machine: Machine,
    identity: str = EVERYWHERE,
    *,
    trusted: bool = True,
    expired: bool = False,
    host: str = EVERYWHERE,
) -> Front:
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
    front = machine.ends.enter_context(Front(machine.sandbox.url, tls=context, host=host))
    machine.environment["CLOUDDB_BASE_URL"] = front.url
    machine.renew = lambda: authority.issue_cert(identity).configure_cert(context)
    return front


def plain_http(machine: Machine) -> None:
    """To a server that is not this machine by name."""
    machine.environment["CLOUDDB_BASE_URL"] = secure(machine).url.replace("https", "http")


def untrusted_certificate(machine: Machine) -> None:
    """Signed by an authority that this machine does not know."""
    secure(machine, trusted=False)


def expired_certificate(machine: Machine) -> None:
    """Since yesterday."""
    secure(machine, expired=True)


def renew(machine: Machine, finding: Finding) -> None:
    """Do what the operator of the server does."""
    assert finding["fix"].startswith("Have its operator renew it")
    machine.renew()


def certificate_of_another(machine: Machine) -> None:
    """The server has a name, and is called by its address."""
    secure(machine, "localhost")


def tls_to_a_plain_port(machine: Machine) -> None:
    """A sandbox speaks plain http."""
    at(machine, "BASE_URL", machine.sandbox.url.replace("http", "https"))


def plain_port_elsewhere(machine: Machine) -> None:
    """The same on another host, to which no plain http may go."""
    front = machine.ends.enter_context(Front(machine.sandbox.url, host=EVERYWHERE))
    at(machine, "BASE_URL", front.url.replace("http", "https"))


def no_network(machine: Machine) -> None:
    """The system is made to know no way to one address."""
    at(machine, "BASE_URL", "https://192.0.2.1")
    real = socket.create_connection

    def only_here(address: tuple[str, int], *more: Any, **named: Any) -> socket.socket:
        if address[0] == "192.0.2.1":
            raise OSError(errno.ENETUNREACH, "Network is unreachable")
        return real(address, *more, **named)

    machine.ends.enter_context(patch("socket.create_connection", only_here))


def dead_proxy(machine: Machine) -> None:
    """The environment names a proxy that is not there any more; loopback would not go through it."""
    secure(machine)
    machine.environment["HTTPS_PROXY"] = f"http://me:pr0xy-pass@127.0.0.1:{closed_port()}"


def redirect(machine: Machine) -> None:
    """The server has moved."""
    moved = Front(machine.sandbox.url, lambda path: (301, {"location": f"{machine.sandbox.url}{path}"}, ""))
    at(machine, "BASE_URL", machine.ends.enter_context(moved).url)


def sign_in(machine: Machine) -> None:
    """What answers leads everybody to its page."""
    pages = Front(machine.sandbox.url, lambda _: (302, {"location": "https://sign-in.example.com/"}, ""))
    at(machine, "BASE_URL", machine.ends.enter_context(pages).url)


def page(machine: Machine) -> None:
    """What answers is a web page, whatever is asked for."""
    pages = Front(machine.sandbox.url, lambda _: (200, {"content-type": "text/html"}, "<h1>Sign in</h1>"))
    at(machine, "BASE_URL", machine.ends.enter_context(pages).url)


def user_interface(machine: Machine) -> None:
    """It passes on what begins with /api, and answers everything else with its page."""

    def route(path: str) -> str | tuple[int, dict[str, str], str]:
        rest = path.removeprefix("/api")
        return rest if rest.startswith("/api/") else (200, {"content-type": "text/html"}, "<h1>Dashboards</h1>")

    at(machine, "STACK_URL", machine.ends.enter_context(Front(machine.sandbox.url, route)).url)


def observability_server(machine: Machine) -> None:
    """The two addresses are confused."""
    only = Front(machine.sandbox.url, lambda path: path if path.startswith("/api/") else PAGE)
    at(machine, "BASE_URL", machine.ends.enter_context(only).url)
    del machine.environment["CLOUDDB_STACK_URL"]


def management_api(machine: Machine) -> None:
    """The other way round."""
    only = Front(machine.sandbox.url, lambda path: path if path.startswith("/v1/") else PAGE)
    at(machine, "STACK_URL", machine.ends.enter_context(only).url)
    del machine.environment["CLOUDDB_BASE_URL"]


def wrong_prefix(machine: Machine) -> None:
    """The API is not below this path."""
    at(machine, "BASE_URL", f"{machine.sandbox.url}/cloud")


def silence(machine: Machine) -> None:
    """The server closes each connection."""
    at(machine, "BASE_URL", machine.ends.enter_context(Raw(says())).url)


def unwell(machine: Machine) -> None:
    """A gateway before the server fails, for one request."""
    machine.sandbox.fault("list_services", "html", status=503)


JSON = {"content-type": "application/json"}
HTML = {"content-type": "text/html"}


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

        def route(path: str) -> str | tuple[int, dict[str, str], str]:
            machine.requests.append(path)
            return answer if broken else path

        at(machine, self.setting, machine.ends.enter_context(Front(machine.sandbox.url, route)).url)
        machine.renew = broken.clear


def mended(machine: Machine, finding: Finding) -> None:
    """Do what the operator of the server does, then run again, as told."""
    assert finding["command"] == "clouddb doctor"
    machine.renew()


def tls_port(machine: Machine) -> None:
    """The port speaks TLS, and the address says http."""
    front = secure(machine, "127.0.0.1", host="127.0.0.1")
    machine.environment["CLOUDDB_BASE_URL"] = front.url.replace("https", "http")


def hangs(machine: Machine) -> None:
    """The server accepts connections and says nothing."""
    at(machine, "BASE_URL", machine.ends.enter_context(Raw(silent)).url)
    machine.environment["CLOUDDB_REQUEST_TIMEOUT_SECONDS"] = "1"


def start_another(machine: Machine, finding: Finding) -> None:
    """Wait longer, as told: it still does not answer, so its operator starts it anew."""
    assert finding["command"] == "export CLOUDDB_REQUEST_TIMEOUT_SECONDS=60"
    machine.environment["CLOUDDB_BASE_URL"] = machine.sandbox.url


def slow(machine: Machine) -> None:
    """The server takes longer than a request may."""

    def late(path: str) -> str:
        time.sleep(1.5)
        return path

    at(machine, "BASE_URL", machine.ends.enter_context(Front(machine.sandbox.url, late)).url)
    machine.environment["CLOUDDB_REQUEST_TIMEOUT_SECONDS"] = "1"


def hangs_before_tls(machine: Machine) -> None:
    """The same at a port that should speak TLS."""
    hangs(machine)
    machine.environment["CLOUDDB_BASE_URL"] = machine.environment["CLOUDDB_BASE_URL"].replace("http", "https")


def expired_and_untrusted(machine: Machine) -> None:
    """Signed by nobody who is trusted, and expired, and of another name: all of it is said at once."""
    secure(machine, "localhost", trusted=False, expired=True)


def renew_and_trust(machine: Machine, finding: Finding) -> None:
    """Each finding is there at the first run."""
    codes = [each["code"] for each in machine.report()["findings"] if each["code"].startswith("certificate")]
    assert sorted(set(codes)) == ["certificate-expired", "certificate-name", "certificate-untrusted"]
    renew(machine, finding)


def role_of_a_user(machine: Machine) -> None:
    """The user of the access key may not read the data sources."""
    machine.sandbox.fault("self_hosted_list_sources", "status", status=403, text="not allowed", times=1)
    machine.answers["YOUR_STACK_TOKEN"] = machine.sandbox.stack_token


# -- credentials -----------------------------------------------------------------------------------------------------


def good_key(machine: Machine) -> None:
    """Let the user answer with a key that may do everything."""
    machine.answers.update(YOUR_KEY_ID=machine.sandbox.key_id, YOUR_KEY_SECRET=machine.sandbox.key_secret)


def key(machine: Machine, **fields: object) -> None:
    """Let the settings name a key of these fields."""
    made = machine.sandbox.add_key(**fields)
    machine.environment.update(CLOUDDB_KEY_ID=made["keyId"], CLOUDDB_KEY_SECRET=made["keySecret"])
    good_key(machine)


def wrong_secret(machine: Machine) -> None:
    """Of another key."""
    machine.environment["CLOUDDB_KEY_SECRET"] = "a-secret-of-nobody"
    good_key(machine)


def disabled_key(machine: Machine) -> None:
    """Somebody has disabled it."""
    key(machine, state="disabled")


def expired_key(machine: Machine) -> None:
    """Its time is over."""
    key(machine, expireAt="2020-01-01T00:00:00Z")


def key_that_expires_soon(machine: Machine) -> None:
    """Tomorrow."""
    key(machine, expireAt=f"{datetime.now(timezone.utc) + timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}")


def key_for_elsewhere(machine: Machine) -> None:
    """Its list does not let this machine in."""
    key(machine, ipAccessList=[{"source": "203.0.113.0/24"}])


def key_for_queries(machine: Machine) -> None:
    """Its role is not for this API."""
    key(machine, roles=["query_endpoints"])


def developer(machine: Machine) -> None:
    """Its role may do almost everything."""
    key(machine, roles=["developer"])


def no_list_of_keys(machine: Machine) -> None:
    """The server lets its role read the services only, once."""
    machine.sandbox.fault("list_keys", "status", status=403)
    good_key(machine)


def wrong_token(machine: Machine) -> None:
    """Of the self-hosted server."""
    machine.environment["CLOUDDB_STACK_TOKEN"] = "a-token-of-nobody"
    machine.answers["YOUR_STACK_TOKEN"] = machine.sandbox.stack_token


# -- what the answers tell -------------------------------------------------------------------------------------------


def other_organization(machine: Machine) -> None:
    """A UUID of somebody else."""
    machine.environment["CLOUDDB_ORGANIZATION_ID"] = "5a0c8d3e-7d5e-4f0b-9d52-0f2f6f0d9a11"
    machine.answers["YOUR_ORGANIZATION_ID"] = machine.sandbox.organization_id


def wrong_clock(machine: Machine) -> None:
    """The server is two hours ahead; a command in place of the system's brings both together."""
    (machine.folder / "ahead").write_text("7200", encoding="utf-8")
    for name, does in (("sudo", 'exec "$@"'), ("timedatectl", f"rm {machine.folder}/ahead")):
        script = machine.folder / "bin" / name
        script.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
        script.chmod(0o755)


def limit_reached(machine: Machine) -> None:
    """Something else has used up the requests of the key."""
    with machine.sandbox.management() as http:
        for _ in range(12):
            http.get("/services")
    window_ends(machine)


def limit_near(machine: Machine) -> None:
    """The window has little left."""
    with machine.sandbox.self_hosted() as http:
        for _ in range(92):
            http.get("/sources")
    window_ends(machine)


def window_ends(machine: Machine) -> None:
    """Let `sleep` end the window of the limit at once."""
    script = machine.folder / "bin" / "sleep"
    reset = f"urllib.request.urlopen('{machine.sandbox.url}/_sandbox/reset', b'').close()"
    script.write_text(f"#!{sys.executable}\nimport urllib.request\n{reset}\n", encoding="utf-8")
    script.chmod(0o755)


def vendors_words(machine: Machine) -> None:
    """The server is not one of the vendor's, which its services show."""
    machine.sandbox.add("services", name="orders")
    machine.environment["CLOUDDB_VOCABULARY"] = "clickhouse"


def neutral_words(machine: Machine) -> None:
    """The server is one of the vendor's."""
    machine.environment["CLOUDDB_VOCABULARY"] = "neutral"


# -- versions --------------------------------------------------------------------------------------------------------


def no_cli(machine: Machine) -> None:
    """It is in a folder that is not on PATH."""
    other = fake_pulumi.install(machine.folder / "elsewhere", {})
    (machine.folder / "bin" / "pulumi").unlink()
    machine.answers["YOUR_PULUMI_FOLDER"] = str(other)


def old_cli(machine: Machine) -> None:
    """Of another major version."""
    no_cli(machine)
    fake_pulumi.install(machine.folder / "bin", {}, "v2.25.0")


def broken_cli(machine: Machine) -> None:
    """It fails."""
    old_cli(machine)
    (machine.folder / "bin" / "pulumi").write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")


def plugin_at(folder: Path, told: str) -> None:
    """Put a plugin that tells a version into a folder."""
    folder.mkdir(exist_ok=True)
    file = folder / "pulumi-resource-clouddb"
    file.write_text(f"#!/bin/sh\necho {told}\n", encoding="utf-8")
    file.chmod(0o755)


def old_python(machine: Machine) -> None:
    """One that the package was never made for."""
    machine.ends.enter_context(patch("platform.python_version", lambda: "3.8.1"))


def old_sdk(machine: Machine) -> None:
    """Of another major version; what installs another one does nothing here."""
    real = metadata.version
    machine.ends.enter_context(
        patch("importlib.metadata.version", lambda name: "2.0.0" if name == "pulumi" else real(name))
    )
    pip = machine.folder / "bin" / "pip"
    pip.write_text("#!/bin/sh\n", encoding="utf-8")
    pip.chmod(0o755)


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
    """It is found before that of this package."""
    plugin_at(machine.folder / "bin", "0.0.1")


def two_plugins(machine: Machine) -> None:
    """Another one is found after that of this package."""
    plugin_at(machine.folder / "old", "0.0.1")
    machine.environment["PATH"] += f"{os.pathsep}{machine.folder / 'old'}"


# -- pending creates -------------------------------------------------------------------------------------------------

URN = "urn:pulumi:dev::shop::clouddb:index:ApiKey::ci"


def pending(machine: Machine) -> tuple[Path, str]:
    """Create a key as a run does that dies before Pulumi has it in its state; return its record, and its id."""
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    object_id, _ = process.create("ApiKey", {"name": "ci", "roles": ["developer"]}, urn=URN)
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
    object_id, _ = process.create("ApiKey", {"name": "ci", "roles": ["developer"]}, urn=URN)
    process.pending.holds(object_id, URN)
    assert len(machine.sandbox.keys) == before


def made_elsewhere(machine: Machine) -> None:
    """Another machine has run the program since: state holds its key, and here an orphan is left."""
    pending(machine)
    other = ProviderProcess(config_for(machine.sandbox), machine.folder / "other")
    other.create("ApiKey", {"name": "ci", "roles": ["developer"]}, urn=URN)


def delete_what_is_left(machine: Machine, finding: Finding) -> None:
    """Run the program, as told: the warning stays. Then delete the key and the record that it names."""
    assert finding["command"] == "pulumi up --stack dev"
    *_, (held, record) = machine.sandbox.keys.items()
    process = ProviderProcess(config_for(machine.sandbox), machine.folder)
    inputs = {"name": "ci", "roles": ["developer"]}
    process.pending.holds(held, URN)
    assert process.changes("ApiKey", {**inputs, "id": held}, inputs) == ()
    machine.sandbox.advance(11)  # the limit of requests begins anew
    assert machine.findings("pending") == [finding]
    found = re.search(r"delete (\S+) unless a stack contains it, and remove (\S+)\. First run:$", finding["fix"])
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
    machine.environment["HOME"] = str(machine.folder)
    machine.environment["CLOUDDB_JOURNAL"] = str(machine.folder / "file")
    (machine.folder / "file").touch()


def no_usual_folder(machine: Machine) -> None:
    """A file is where Pulumi's own folder should be, and no other one is set."""
    del machine.environment["CLOUDDB_JOURNAL"]
    machine.environment["PULUMI_HOME"] = str(machine.folder / "file")
    (machine.folder / "file").touch()
    machine.answers["YOUR_FOLDER"] = str(machine.folder / "pending")


FAULTS: dict[str, tuple[str, Plant]] = {
    "a misspelt variable": ("misspelt-variable: Move its value there:", misspelt_variable),
    "a misspelt setting": ("misspelt-setting: Move its value there:", of_stack(misspelt_key)),
    "a misspelt secret": ("misspelt-setting: Move its value there:", of_stack(misspelt_secret)),
    "a misspelt namespace": ("misspelt-setting: Move its value there:", of_stack(misspelt_namespace)),
    "a /v1 too much": ("invalid-setting: Correct it:", version_in_address),
    "an /api/v2 too much": ("invalid-setting: Correct it:", of_stack(api_version_in_address)),
    "plain http": ("invalid-setting: Correct it:", plain_http),
    "a flag that is none": ("invalid-setting: Set a valid value, or remove the setting to use the", invalid_flag),
    "a secret that is missing": ("missing-setting: Set it:", of_stack(missing_secret)),
    "a key in plain text": ("credential-in-clear: Replace this credential: everybody", of_stack(credential_in_clear)),
    "a token in plain text": ("credential-in-clear: Replace this credential: everybody", of_stack(token_in_clear)),
    "an address that is missing": ("missing-setting: Set it:", missing_address),
    "no settings at all": ("no-settings: Set the management API:", nothing_set),
    "a stack that does not exist": ("stack-unread: Run this command in the folder", of_stack(unknown_stack)),
    "a port that nothing listens on": ("refused: Start the server there, or set the address of a", refused_port),
    "a name that nobody knows": ("unknown-name: Correct the name, or use a network whose DNS", unknown_name),
    "an untrusted certificate": ("certificate-untrusted: Ask its operator for the", untrusted_certificate),
    "an expired certificate": ("certificate-expired: Have its operator renew it; if it is", expired_certificate),
    "a certificate of another name": ("certificate-name: Use a name from the certificate:", certificate_of_another),
    "https where http is spoken": ("no-tls: Use plain http, which is accepted for loopback:", tls_to_a_plain_port),
    "a proxy that is gone": ("proxy: Correct the proxy, or bypass it:", dead_proxy),
    "a redirect": ("redirect: If that is the intended server, set its address:", redirect),
    "a page": ("page: Set the address of its API:", page),
    "the user interface": ("user-interface: Set the address of its API:", user_interface),
    "an observability server": ("other-server: Set it as clouddb:stackUrl:", observability_server),
    "a management API": ("other-server: Set it as clouddb:baseUrl:", management_api),
    "a path that is not there": ("no-such-path: Set the address of its API, without /v1; set", wrong_prefix),
    "a server that hangs up": ("no-answer: Set the address of its API:", silence),
    "a gateway that fails": ("server-error: Check the server and the gateway in front of it, then run again:", unwell),
    "a wrong secret": ("refused-credentials: Set a key that exists, is enabled and has not expired:", wrong_secret),
    "a disabled key": ("refused-credentials: Set a key that exists, is enabled and has not expired:", disabled_key),
    "an expired key": ("refused-credentials: Set a key that exists, is enabled and has not expired:", expired_key),
    "a wrong token": ("refused-credentials: Set the access key from the user settings of this server:", wrong_token),
    "a key that expires soon": ("expires-soon: Set a key that expires later:", key_that_expires_soon),
    "a key for elsewhere": ("ip-access-list: Add the address of this machine to the key's IP", key_for_elsewhere),
    "a key for queries": ("role: Give the key the role developer, or set a key that has it; only", key_for_queries),
    "a developer's key": (
        "role: If the program has an ApiKey or OrganizationSettings, or sets backups, set a",
        developer,
    ),
    "another organization": ("wrong-organization: Set the id of the key's organization:", other_organization),
    "a wrong clock": ("clock: Set the clock, or synchronize it over the network:", wrong_clock),
    "a limit that is reached": ("limit-reached: Wait, and use separate keys for programs that run at", limit_reached),
    "a limit that is near": ("limit-near: Wait until then:", limit_near),
    "the vendor's words for another server": ("dialect: Set the dialect, which is clickhouse now:", vendors_words),
    "no CLI": ("cli: Install the CLI, and put its folder on PATH (https://www.pulumi.com/docs/install/):", no_cli),
    "an old CLI": ("cli: Install a CLI of version 3 (https://www.pulumi.com/docs/install/), and put its", old_cli),
    "a broken CLI": ("cli: Reinstall it, and put its folder on PATH (https://www.pulumi.com/docs/", broken_cli),
    "no plugin": ("no-plugin: For the native plugin, put its folder on PATH:", no_plugin),
    "another plugin": ("plugin-version: Put the plugin of this package first on PATH:", other_plugin),
    "two plugins": ("two-plugins: Remove it, so that no other shell uses it:", two_plugins),
    "a pending create": ("pending: Run the program of this stack on a machine with this folder", pending_create),
    "a pending create of what another machine made": ("pending: Run the program of this stack on", made_elsewhere),
    "a record that cannot be read": ("pending-unreadable: Search the server for the object it", corrupt_record),
    "a record of an object that is gone": ("pending-gone: If it was deleted on purpose, remove", record_of_nothing),
    "a folder that is none": ("pending-folder: Use the default folder, or set a writable one:", no_folder),
    "a variable of no setting": ("misspelt-variable: Remove it:", unknown_variable),
    "a setting that is none": ("misspelt-setting: Remove it:", of_stack(unknown_setting)),
    "a setting with a misspelt leftover": ("misspelt-setting: Remove it:", of_stack(setting_twice)),
    "a key id with a colon": ("invalid-setting: Set a valid value:", key_id_with_a_colon),
    "https where another host speaks http": ("no-tls: Set the address of its API:", plain_port_elsewhere),
    "a network without a way": ("no-connection: Check the network and its firewalls, or set another", no_network),
    "a page to sign in": ("redirect: Set the address of its API:", sign_in),
    "a key that may not list keys": ("role: For resources of the type ApiKey, set a key with", no_list_of_keys),
    "an old Python": ("python: Install the package in an environment with a supported Python.", old_python),
    "an old SDK": ("sdk: Install a supported version:", old_sdk),
    "no folder at all": ("pending-folder: Set another folder:", no_usual_folder),
    "http at a TLS port": ("tls: Use https:", tls_port),
    "a server that hangs": ("timeout: Check the server and the gateway in front of it; if they are only slow", hangs),
    "a slow server": ("timeout: Check the server and the gateway in front of it; if they are only slow, incr", slow),
    "a server that begins no TLS": ("no-tls: Check the server and the gateway in front of it, or", hangs_before_tls),
    "a certificate with three faults": ("certificate-expired: Have its operator renew it", expired_and_untrusted),
    "a user who may not read": ("role: Set the access key of a user with permission to read them:", role_of_a_user),
}

WELL = "server-error: Check the server and the gateway in front of it, then run again:"
LET_IN = "forbidden: Ask the operator of the server, or of the gateway in front of it, to admit this machine; then run"
ADDRESS = "page: Set the address of its API:"
NO_PATH = "no-such-path: Set the address of its API, without"
REFUSED = (
    "refused-request: Set the address of its API; if it is correct, report this message to the operator of the server:"
)
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
    f"{name} at {setting}": (said, replace(answer, setting=setting))
    for setting in ("BASE_URL", "STACK_URL")
    for name, (said, answer) in ONE_ANSWER.items()
}

ACTS: dict[str, Act] = {
    "an old Python": install,
    "an old SDK": install,
    "a stack that does not exist": take_the_listed_stack,
    "an expired certificate": renew,
    "a certificate with three faults": renew_and_trust,
    "a server that hangs": start_another,
    **{name: mended for name, (said, _) in FAULTS.items() if said in (WELL, LET_IN) and name != "a gateway that fails"},
    "a pending create": run_again,
    "a pending create of what another machine made": delete_what_is_left,
}
"""What is done by somebody, and not by the command of a finding alone."""


def wrong(report: list[Finding], code: str) -> list[Finding]:
    """Return the findings of a kind that are not well; a note that nothing is to be done about is."""
    return [each for each in report if each["code"] == code and each["level"] != "ok" and each["fix"]]


def done(machine: Machine, finding: Finding, act: Act | None = None) -> None:
    """Do what a finding says."""
    if act is None:
        machine.do(finding["command"])
    else:
        act(machine, finding)


def acquitted(report: list[Finding], setting: str) -> list[Finding]:
    """Return the findings that a server accepts credentials, an organization or requests, or speaks a dialect."""
    checks = ("credentials", "limit", "dialect", *(("organization",) if setting == "BASE_URL" else ()))
    of = {"BASE_URL": "clouddb:baseUrl ", "STACK_URL": "clouddb:stackUrl "}[setting]
    well = [each for each in report if each["level"] == "ok" and each["check"] in checks]
    return [each for each in well if of in each["message"] or each["check"] == "organization"]


EXIT_CODES = {"error": DoctorExit.ERRORS, "warning": DoctorExit.WARNINGS, "note": DoctorExit.WELL}


FIRST_OF_ITS_KIND = {said.partition(":")[0]: name for name, (said, _) in reversed(FAULTS.items())}.values()
"""A fault for each finding; the others are slow."""


@pytest.mark.parametrize(
    ("said", "plant", "act"),
    [
        pytest.param(*fault, ACTS.get(name), marks=[] if name in FIRST_OF_ITS_KIND else pytest.mark.slow, id=name)
        for name, fault in FAULTS.items()
    ],
)
def test_a_fault_is_found_and_what_is_said_ends_it(said: str, plant: Plant, act: Act | None, machine: Machine) -> None:
    """All findings of its kind say the same. What else was wrong ends in the same way."""
    code = said.partition(":")[0]
    plant(machine)
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
    done(machine, found, act)
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
    assert (found["level"], found["fix"]) == ("warning", "Run the checks again after that time:")
    assert found["command"] == "sleep 7"
    machine.sandbox.advance(11)
    assert machine.report()["outcome"] == "well"


@pytest.mark.parametrize("machine", ["clickhouse"], indirect=True)
@pytest.mark.parametrize(
    ("said", "plant"),
    [
        ("dialect: Set the dialect, which is neutral", neutral_words),
        ("wrong-organization: Set it:", other_organization),
    ],
    ids=["dialect", "organization"],
)
def test_the_vendors_server_tells_what_is_right(said: str, plant: Plant, machine: Machine) -> None:
    """Nothing is left to fill in."""
    plant(machine)
    machine.answers.clear()
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
    unknown = "the dialect of clouddb:{} cannot be determined"
    spoken = "clouddb:baseUrl is a management API of the vendor with the dialect clickhouse"
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
    version_in_address(machine)
    *lines, last = machine.doctor().stdout.splitlines()
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


EXITS: dict[str, tuple[Plant, DoctorExit]] = {
    "well": (lambda _: None, DoctorExit.WELL),
    "an error": (wrong_secret, DoctorExit.ERRORS),
    "a warning": (key_that_expires_soon, DoctorExit.WARNINGS),
    "a note": (no_plugin, DoctorExit.WELL),
}


@pytest.mark.parametrize(("plant", "code"), EXITS.values(), ids=EXITS)
def test_the_exit_code_says_how_bad_it_is(plant: Plant, code: DoctorExit, machine: Machine) -> None:
    """The report has it, too."""
    plant(machine)
    assert machine.doctor().returncode == code
    report = machine.report()
    assert (report["exitCode"], report["outcome"]) == (code, code.outcome)


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
    assert found["broken-check"]["fix"] == "Report this line to the maintainers of pulumi-clouddb."
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
