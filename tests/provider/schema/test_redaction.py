"""No secret is in a message, a log line or a traceback, in whichever form a server or a library quotes it."""

from __future__ import annotations

import base64
import html
import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from clouddb_tools.commands.gitops.redaction import masked, secrets_of
from clouddb_tools.commands.gitops.report import Message, Report
from clouddb_tools.sandbox import Sandbox
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.errors import CloudDBError, ConfigError, ResourceError, two_lines
from pulumi_clouddb.engine.dynamic.messages import user_errors
from pulumi_clouddb.engine.wire.log import EngineLog
from pulumi_clouddb.engine.wire.messages import message
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.public_names import public_names
from pulumi_clouddb.schema.secrets.masking import secrets_of_body
from pulumi_clouddb.schema.secrets.redaction import Redactor, redact, remember
from pulumi_clouddb.schema.secrets.spellings import SHORTEST
from support.grpc_driver import HostError
from support.host import DynamicHost
from support.plugin import NativePlugin
from support.scripted import Response, Scripted, error
from support.sessions import config_of

KEY_SECRET, TOKEN = 'c4nary+Key/"\\Secret=%', "c4nary&Stack<Token>'~"
BASIC = base64.b64encode(f"key-id:{KEY_SECRET}".encode()).decode()

FORMS: dict[str, Callable[[str], str]] = {
    "unchanged": str,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON with Unicode": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "as a Python repr": lambda text: repr(text)[1:-1],
    "as an ASCII repr": lambda text: ascii(text)[1:-1],
    "as a repr of bytes": lambda text: repr(text.encode())[2:-1],
    "in a query string": quote_plus,
    "in a path": lambda text: quote(text, safe=""),
    "in HTML": html.escape,
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64url": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "in JSON within JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "in JSON of Go": lambda text: re.sub("[<>&]", lambda it: f"\\u{ord(it[0]):04x}", json.dumps(text)[1:-1]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=SHORTEST, max_size=60))
@example('a "quoted" \\ one')
@example("ends in a line break\n")
def test_any_secret_is_redacted_in_any_form(form: Callable[[str], str], secret: str) -> None:
    """The text around it stays."""
    assume(secret not in public_names())
    text = form(secret)
    assert Redactor([secret])(f"<{text}>") in (f"<{text}>".replace(text, "[secret]"), "<[secret]>") or len(text) < 6
    assert text not in Redactor([secret])(f"before {text} after") or text in "before [secret] after"


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("tok-abc\n", "Illegal header value b'Bearer tok-abc\\n'", "Illegal header value b'Bearer [secret]'"),
        ("tok-abc\n", "token tok-abc.", "token [secret]."),
        ("line-one\nl1ne-two", "only l1ne-two, not line-one", "only [secret], not line-one"),
        ("grün-✓✓", r"b'gr\xc3\xbcn-\xe2\x9c\x93\xe2\x9c\x93'", "b'[secret]'"),
        ("grün-✓✓", "gr%c3%bcn-%e2%9c%93%e2%9c%93", "[secret]"),
        ("ab", "ab", "ab"),
        ("abc", "abc abcd", "[secret] abcd"),
        ("abc-1", "xabc-1x", "x[secret]x"),
        ("hunter10-secret", b"the user:hunter10-secret".hex(), f"{b'the user:'.hex()}[secret]"),
        ("hunter10-secret", base64.b64encode(b"abchunter10-secret").decode(), "YWJj[secret]"),
        ("hunter10-secret", base64.b64encode(b"a:hunter10-secret").decode(), "YTp[secret]Q="),
        ("hunter10-secret", base64.b64encode(b"ahunter10-secret").decode(), "YW[secret]A=="),
        ("48151623", "4.8151623e+07, 48,151,623 and 48151623.0", "[secret], [secret] and [secret]"),
        ("4711.25", "4,711.25, 4.71125e+03 and 47112.5", "[secret], [secret] and 47112.5"),
        ("-0.00025", "-0.00025 or -2.5e-04", "[secret] or [secret]"),
        ("4711", "4711 of 147112", "[secret] of 147112"),
        ("hunter10-secret", b"hunter10-secret".hex().upper(), "[secret]"),
        ("a+b/c-secret", quote(quote("a+b/c-secret", safe=""), safe=""), "[secret]"),
        ("https://hooks.example.com/services/T0/B0/x9", "no POST /services/T0/B0/x9 here", "no POST [secret] here"),
        (
            "https://hooks.example.com/services/T0/B0/x9",
            "hooks.example.com did not answer",
            "hooks.example.com did not answer",
        ),
        ('hunter10-"\\secret"', "'hunter10-\"\\\\se...' is wrong", "'[secret]...' is wrong"),
        ('hunter10-"\\secret"', '"hunter10-\\"\\\\se... is wrong', '"[secret]... is wrong'),
        ('hunter10-"\\secret"', '{"a":"hunter10-\\"…', '{"a":"[secret]…'),
        ('hunter10-"-secret', base64.b64encode(b'{"a":"hunter10-\\"-secret"}').decode(), "eyJhIjoi[secret]In0="),
        ("hunter10-secret", "'hunter10-se...' is wrong", "'[secret]...' is wrong"),
        ("hunter10-secret", "hunter10-se… is wrong", "[secret]… is wrong"),
        ("hunter10-secret", "'hunter10-' is wrong", "'[secret]' is wrong"),
        ("key-9f8e7d6c5b4a", "no '...7d6c5b4a' here", "no '...[secret]' here"),
        ("key-9f8e7d6c5b4a", "no key …8e7d6c5b4a", "no key …[secret]"),
        ("key-9f8e7d6c5b4a", 'no key "8e7d6c5b4a"', 'no key "[secret]"'),
        ("key-9f8e7d6c5b4a", "no key ****8e7d6c5b4a", "no key ****[secret]"),
        ("key-9f8e7d6c5b4a", "no key that ends in 8e7d6c5b4a.", "no key that ends in [secret]."),
        ("key-9f8e7d6c5b4a", "no key that begins with key-9f8e7d6", "no key that begins with [secret]"),
        ("key-9f8e7d6c5b4a", "no key-9f8e****", "no [secret]****"),
        ("key-9f8e7d6c5b4a", "KEY-9F8E7D6C5B4A, Key-9f8e7d6c5b4a and …8E7D6C5B4A", "[secret], [secret] and …[secret]"),
        ("hunter10-secret", base64.b64encode(b"hunter10-secret").decode().lower(), "[secret]"),
        ("of-the-orchestra", "the end of the orchestra", "the end of the orchestra"),
        ("swordfish", "SWORDFISH, Swordfish", "[secret], Swordfish"),
        ("Sword", "SWORD, sword, Sword", "SWORD, sword, [secret]"),
        ("https://hooks.example.com/x", "https:// is required, not 'ftp://'", "https:// is required, not 'ftp://'"),
    ],
)
def test_secret_is_redacted_as_errors_quote_it(secret: str, text: str, shown: str) -> None:
    """One error of the HTTP library quotes a token without the line break at its end."""
    assert Redactor([secret])(text) == shown


PARTS = {
    "a word as the path of an address": ("https://events.example.com/clouddb", "clouddb ci drift --repair"),
    "a word within the path of an address": ("https://events.example.com/in/production", "stack production"),
    "a word as a parameter": ("https://events.example.com/in?environment=production", "stack production"),
    "a scheme": ("Bearer production", "stack production"),
    "a line": ("production\nhunter10-secret", "stack production"),
    "words": ("https://events.example.com/dash-boards/orders", "/dash-boards/orders"),
}


@pytest.mark.parametrize(("secret", "text"), PARTS.values(), ids=PARTS)
def test_usual_words_within_a_secret_are_not_redacted(secret: str, text: str) -> None:
    """No message would be readable in which `production` or the name of this package is redacted."""
    assert Redactor([secret])(text) == text
    assert Redactor([secret])(f"no {secret}!") == "no [secret]!"


TOKENS = {
    "a path": ("https://hooks.example.com/in/s3cret-token-17/x", "GET /in/s3cret-token-17/x", "GET [secret]"),
    "a segment": ("https://hooks.example.com/in/s3cret-token-17/x", "no s3cret-token-17", "no [secret]"),
    "an escaped segment": ("https://hooks.example.com/in/s3cret%2Ftoken", "no s3cret/token", "no [secret]"),
    "a parameter": ("https://hooks.example.com/in?a=b&sig=s3cret-17", "sig s3cret-17", "sig [secret]"),
    "a parameter named as one": ("https://hooks.example.com/in?token=swordfish", "a swordfish", "a [secret]"),
    "a fragment": ("https://hooks.example.com/in#s3cret-17", "no s3cret-17", "no [secret]"),
    "a password": ("postgres://orders:swordfish@db.example.com/shop", "a swordfish of orders", "a [secret] of orders"),
    "a credential": ("Bearer s3cret-17", "no s3cret-17", "no [secret]"),
    "a part of a connection string": ("Endpoint=sb://a.b/;SharedAccessKey=s3cret17+=", "s3cret17+=", "[secret]"),
}


@pytest.mark.parametrize(("secret", "text", "shown"), TOKENS.values(), ids=TOKENS)
def test_tokens_within_a_secret_are_redacted(secret: str, text: str, shown: str) -> None:
    """Servers quote the path, a parameter or a token without the rest."""
    assert Redactor([secret])(text) == shown


IN_NAMES = {
    "a URN": (["production"], "urn:pulumi:production::shop::clouddb:index:Webhook::production", []),
    "a URN in a command": (["webhook"], "pulumi state unprotect 'urn:pulumi:dev::a::b:index:W::webhook'", []),
    "the stack": (["production"], "stack production", ["production"]),
    "within the name of a resource": (["orders"], "'orders-hook' is gone", ["orders-hook"]),
    "a part that is a token": (["https://a.example.com/in/prod-eu1"], "stack prod-eu1", ["prod-eu1"]),
}


@pytest.mark.parametrize(("secrets", "text", "names"), IN_NAMES.values(), ids=IN_NAMES)
def test_urns_and_names_of_a_program_are_not_redacted(secrets: list[str], text: str, names: list[str]) -> None:
    """Reviewers could not read which resource changes, and commands to copy would not work."""
    assert Redactor(secrets, names)(text) == text


def test_secrets_beside_names_are_redacted() -> None:
    """A name protects only itself."""
    redactor = Redactor(["orders-s3cret", "production", "s3cret-name"], ["orders", "s3cret-name"])
    urn = "urn:pulumi:production::shop::a:b:C::production"
    assert redactor(f"orders-s3cret {urn} production") == f"[secret] {urn} [secret]"
    assert redactor("s3cret-name") == "[secret]"


NAMES = {
    "the name itself": ("displayType", "config.displayType must be text"),
    "a part of a name": ("timestamp", "timestampValueExpression is required"),
    "a word of a name": ("number", "numberFormat is for tiles of numbers"),
    "in Python": ("tile_ids", "tile_ids has no 'errors'"),
    "a setting": ("keySecret", "clouddb:keySecret is not set"),
    "a variable": ("CLOUDDB_KEY_SECRET", "CLOUDDB_KEY_SECRET is not set"),
}


@pytest.mark.parametrize(("secret", "text"), NAMES.values(), ids=NAMES)
def test_property_names_are_not_redacted(secret: str, text: str) -> None:
    """A secret may be equal to a public name, and a message without its names would be useless."""
    assert Redactor([secret])(text) == text


OWN_WORDS = {
    "a type": (
        "list",
        "body must be a list, not the secret value given",
        "body must be a list, not the secret value given",
    ),
    "a word": ("required", "name is required", "name is required"),
    "a value": ("list", "tags[0].value must be a list, not 'list'", "tags[0].value must be a list, not '[secret]'"),
    "a part of a value": ("list", "name must not be empty, not 'my list'", "name must not be empty, not 'my [secret]'"),
    "another word": ("te-xt", "name must be te-xt", "name must be [secret]"),
}


@pytest.mark.parametrize(("secret", "failure", "shown"), OWN_WORDS.values(), ids=OWN_WORDS)
def test_failure_text_is_not_redacted_outside_values(secret: str, failure: str, shown: str) -> None:
    """Redacting it would make it useless and reveal the secret; quoted values are redacted as usual."""
    assert Redactor([secret])(failure, own_words=True) == shown


PLACES = ("error", "requestId", "text", "location")
CREDENTIALS = {"keySecret": KEY_SECRET, "stackToken": TOKEN, "Basic": BASIC}
QUOTED = [
    *(pytest.param(place, name, "unchanged", id=f"{name} in {place}") for place in PLACES for name in CREDENTIALS),
    *(pytest.param("error", name, form, id=f"{name} {form}") for name in CREDENTIALS for form in FORMS),
]
"""Each credential in each place, and in each form."""


@pytest.mark.parametrize(("place", "name", "form"), QUOTED)
def test_credentials_quoted_by_a_server_are_redacted(
    place: str, name: str, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    """They are in neither the message, the attributes of the error, nor the log."""
    caplog.set_level(logging.DEBUG)
    quoted = FORMS[form](CREDENTIALS[name])
    answers = {
        "error": Response(400, {"status": 400, "error": f"no: {quoted}", "requestId": "r"}),
        "requestId": Response(400, {"status": 400, "error": "no", "requestId": quoted}),
        "text": Response(400, f"no {quoted}"),
        "location": Response(302, "", {"location": f"/{quoted}"}),
    }
    with Scripted(answers[place]) as server:
        client = Client(config_of(baseUrl=server.url, stackUrl=server.url, keySecret=KEY_SECRET, stackToken=TOKEN))
        for operation in ("list_keys", "self_hosted_create_alert"):
            with pytest.raises(CloudDBError) as caught:
                client.call(OPERATIONS[operation], {} if "create" in operation else None)
            error_text = f"{caught.value} {vars(caught.value)}"
            assert quoted not in error_text
            assert "c4nary" not in error_text
    assert "c4nary" not in caplog.text


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("create_service", {"name": "n", "encryptionKey": "c4nary-disk-key"}),
        ("reset_password", {"newPasswordHash": "c4nary-hash", "newDoubleSha1Hash": "c4nary-sha"}),
        ("create_key", {"name": "n", "hashData": {"keyIdHash": "c4nary-id", "keySecretHash": "c4nary-secret"}}),
        ("update_key", {"name": "n", "a": [{"keySecret": "c4nary-deep"}]}),
    ],
)
def test_secrets_of_a_body_quoted_by_a_server_are_redacted(operation: str, body: Any) -> None:
    """The models define which fields are secret; other fields are shown."""
    texts = list(secrets_of_body(body))
    assert texts
    with Scripted(error(400, f"bad {texts}: {json.dumps(body)}")) as server, pytest.raises(CloudDBError) as caught:
        Client(config_of(baseUrl=server.url)).call(OPERATIONS[operation], body, service_id="s", key_id="k")
    assert "c4nary" not in f"{caught.value} {vars(caught.value)}"
    assert "[secret]" in str(caught.value)


def test_text_of_a_success_is_not_shown() -> None:
    """It may contain a secret that the server has just created."""
    with Scripted(Response(200, "your password is c4nary")) as server, pytest.raises(CloudDBError) as caught:
        Client(config_of(baseUrl=server.url)).call(OPERATIONS["reset_password"], {}, service_id="s")
    assert "c4nary" not in str(caught.value)


# -- output of the front ends ------------------------------------------------------------------------------------------


@pytest.fixture
def configured_secret() -> str:
    """Configure this process with a secret, and return it."""
    remember(["c4nary-remembered"])
    return "c4nary-remembered"


@pytest.mark.parametrize("debug", ["", "1"])
def test_unexpected_error_is_redacted(configured_secret: str, debug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message contains a traceback only with CLOUDDB_DEBUG."""
    monkeypatch.setenv("CLOUDDB_DEBUG", debug)
    try:
        try:
            raise KeyError(configured_secret)
        except KeyError:
            raise ValueError(f"first {configured_secret}\nsecond\nthird") from None
    except ValueError as raised:
        text = message(raised)
    assert "c4nary" not in text
    assert "unexpected ValueError: first [secret]" in text or debug
    assert ("Traceback" in text) == bool(debug)
    assert debug or text.count("\n") == 1


@pytest.mark.parametrize("debug", ["", "1"])
def test_error_for_the_dynamic_host_is_redacted(
    configured_secret: str, debug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host prints the traceback of an error with its causes, so the error has none."""
    monkeypatch.setenv("CLOUDDB_DEBUG", debug)
    monkeypatch.setattr("sys.tracebacklimit", 0, raising=False)

    @user_errors
    def fails() -> None:
        raise ValueError(configured_secret)

    with pytest.raises(Exception, match="ValueError") as caught:
        fails()
    assert "c4nary" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert ("Traceback" in str(caught.value)) == bool(debug)


def test_warning_is_redacted_and_has_two_lines(configured_secret: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without an engine it is written to standard error."""
    log = EngineLog()
    log.address = ""
    log.warn(f"first {configured_secret}\nsecond\nthird")
    assert capsys.readouterr().err == "warning: first [secret] second\nthird\n"


def test_redact_covers_each_configuration_of_the_process() -> None:
    """A plugin may serve several configurations."""
    for number in range(3):
        Client(config_of(keySecret=f"c4nary-number-{number}"))
    assert redact("c4nary-number-0 c4nary-number-1 c4nary-number-2") == "[secret] [secret] [secret]"


# -- messages of two lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one", "one"),
        ("one\ntwo", "one\ntwo"),
        ("one\ntwo\nthree", "one two\nthree"),
        ("\none\r\n\ntwo\n", "one\ntwo"),
        ("", ""),
    ],
)
def test_message_has_at_most_two_lines(text: str, shown: str) -> None:
    """All lines but the last one are joined; the last one is advice."""
    assert two_lines(text) == shown
    assert str(ConfigError(text)) == shown


def test_nested_error_adds_no_third_line() -> None:
    """An error of a resource may quote the error of a request."""
    inner = ResourceError("could not read", "Look there.")
    assert str(ResourceError(f"not done: {inner}", "Run again.")) == "not done: could not read Look there.\nRun again."


# -- reports of gitops -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("end", ["", "\n"], ids=["plain", "with a line break"])
def test_report_is_redacted(form: Callable[[str], str], end: str) -> None:
    """This includes secrets with a line break, and credentials encoded for HTTP Basic."""
    config = {
        "clouddb:keyId": {"value": "key-id", "secret": False},
        "clouddb:keySecret": {"value": KEY_SECRET + end, "secret": True},
        "clouddb:stackToken": {"value": TOKEN + end, "secret": True},
    }
    basic = base64.b64encode(f"key-id:{KEY_SECRET}{end}".encode()).decode()
    text = " ".join(form(secret) for secret in (KEY_SECRET, TOKEN, KEY_SECRET + end, TOKEN + end, basic))
    report = Report(command="apply", stack="dev", messages=[Message(severity="error", text=text)])
    safe = masked(report, secrets_of({}, config)).messages[0].text
    assert safe == "[secret] [secret] [secret] [secret] [secret]".replace("] [", "] [")


@pytest.mark.slow
def test_plugin_and_dynamic_host_redact_secrets(tmp_path: Path) -> None:
    """The server quotes the token to the real processes; their messages and tracebacks do not contain it."""
    alert = {"dashboardId": "d", "tileId": "t", "threshold": 1, "interval": "5m", "channel": {"type": "webhook"}}
    with Scripted(Response(400, {"message": f"bad token {TOKEN}"})) as server:
        config = {"clouddb:stackUrl": server.url, "clouddb:stackToken": TOKEN}
        for kind in (DynamicHost, NativePlugin):
            for debug in ("0", "1"):
                with kind(config, tmp_path, {"CLOUDDB_DEBUG": debug}) as host, pytest.raises(HostError) as caught:
                    host.create("Alert", alert)
                assert "bad token [secret]" in str(caught.value)
                assert "c4nary" not in str(caught.value)
                assert ("Traceback" in str(caught.value)) == (debug == "1")


@pytest.mark.parametrize("debug", ["", "1"])
@pytest.mark.parametrize("kind", [DynamicHost, NativePlugin])
def test_debug_prints_each_request(
    kind: type[DynamicHost | NativePlugin], debug: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """CLOUDDB_DEBUG=1 prints a line for each, with nothing but method, address, status and milliseconds."""
    with kind(sandbox.config, tmp_path, {"CLOUDDB_DEBUG": debug}) as host:
        host.create("ApiKey", {"name": "reader", "roles": ["query_endpoints"]})
    sent = [f"clouddb: {each.method} {sandbox.url}{each.path}" for each in sandbox.requests]
    printed = [re.sub(r"(\?\S*)?: 20\d, \d+ ms$", "", line) for line in host.lines]
    assert printed == (sent if debug else [])
