"""No secret stands in a message, a log line or a traceback, in whichever form a server or a library quotes it."""

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
    "as it is": str,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON of Unicode": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "as Python shows it": lambda text: repr(text)[1:-1],
    "as Python shows it in ASCII": lambda text: ascii(text)[1:-1],
    "as Python shows bytes": lambda text: repr(text.encode())[2:-1],
    "in a query": quote_plus,
    "in a path": lambda text: quote(text, safe=""),
    "in HTML": html.escape,
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64 of URLs": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "in JSON within JSON": lambda text: json.dumps(json.dumps(text)[1:-1])[1:-1],
    "in JSON as Go writes it": lambda text: re.sub("[<>&]", lambda it: f"\\u{ord(it[0]):04x}", json.dumps(text)[1:-1]),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=SHORTEST, max_size=60))
@example('a "quoted" \\ one')
@example("ends in a line break\n")
def test_any_secret_is_replaced_in_any_form(form: Callable[[str], str], secret: str) -> None:
    """Whatever it holds; the text around it stays."""
    assume(secret not in public_names())
    text = form(secret)
    assert Redactor([secret])(f"<{text}>") in (f"<{text}>".replace(text, "[secret]"), "<[secret]>") or len(text) < 6
    assert text not in Redactor([secret])(f"before {text} after") or text in "before [secret] after"


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        ("tok-abc\n", "Illegal header value b'Bearer tok-abc\\n'", "Illegal header value b'Bearer [secret]'"),
        ("tok-abc\n", "token tok-abc.", "token [secret]."),
        ("line-one\nline-two", "only line-two", "only [secret]"),
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
        ("hunter10-secret", "'hunter10-se...' is wrong", "'[secret]...' is wrong"),
        ("hunter10-secret", "hunter10-se… is wrong", "[secret]… is wrong"),
        ("hunter10-secret", "'hunter10-' is wrong", "'[secret]' is wrong"),
        ("https://hooks.example.com/x", "https:// is required, not 'ftp://'", "https:// is required, not 'ftp://'"),
    ],
)
def test_a_secret_is_replaced_as_errors_quote_it(secret: str, text: str, shown: str) -> None:
    """A token that ends in a line break was quoted by an error of the HTTP library, without the line break."""
    assert Redactor([secret])(text) == shown


NAMES = {
    "the name itself": ("displayType", "config.displayType must be text"),
    "a part of it": ("timestamp", "timestampValueExpression is required"),
    "a word of it": ("number", "numberFormat is for tiles of numbers"),
    "in Python": ("tile_ids", "tile_ids has no 'errors'"),
    "a setting": ("keySecret", "clouddb:keySecret is not set"),
    "a variable": ("CLOUDDB_KEY_SECRET", "CLOUDDB_KEY_SECRET is not set"),
}


@pytest.mark.parametrize(("secret", "text"), NAMES.values(), ids=NAMES)
def test_no_name_of_a_property_is_masked(secret: str, text: str) -> None:
    """A secret may be any word; names are public, and a message without them says nothing."""
    assert Redactor([secret])(text) == text


OWN_WORDS = {
    "a type": (
        "text",
        "body must be text, not the secret value given",
        "body must be text, not the secret value given",
    ),
    "a word": ("required", "name is required", "name is required"),
    "a value": ("text", "tags[0].value must be text, not 'text'", "tags[0].value must be text, not '[secret]'"),
    "a part of a value": ("text", "name must not be empty, not 'my text'", "name must not be empty, not 'my [secret]'"),
    "no word": ("te-xt", "name must be te-xt", "name must be [secret]"),
}


@pytest.mark.parametrize(("secret", "failure", "shown"), OWN_WORDS.values(), ids=OWN_WORDS)
def test_a_failure_keeps_its_own_words(secret: str, failure: str, shown: str) -> None:
    """Masked, they would say nothing, and show that the secret is this word; values are masked as ever."""
    assert Redactor([secret])(failure, own_words=True) == shown


PLACES = ("error", "requestId", "text", "location")
CREDENTIALS = {"keySecret": KEY_SECRET, "stackToken": TOKEN, "Basic": BASIC}
QUOTED = [
    *(pytest.param(place, name, "as it is", id=f"{name} in {place}") for place in PLACES for name in CREDENTIALS),
    *(pytest.param("error", name, form, id=f"{name} {form}") for name in CREDENTIALS for form in FORMS),
]
"""Each credential in each place, and in each form."""


@pytest.mark.parametrize(("place", "name", "form"), QUOTED)
def test_a_server_that_quotes_credentials_is_not_quoted(
    place: str, name: str, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither in the message, nor in what the error carries, nor in the log."""
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
            said = f"{caught.value} {vars(caught.value)}"
            assert quoted not in said
            assert "c4nary" not in said
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
def test_a_server_that_quotes_what_it_was_sent_is_not_quoted(operation: str, body: Any) -> None:
    """The models say which fields are secret; what else was sent is shown."""
    texts = list(secrets_of_body(body))
    assert texts
    with Scripted(error(400, f"bad {texts}: {json.dumps(body)}")) as server, pytest.raises(CloudDBError) as caught:
        Client(config_of(baseUrl=server.url)).call(OPERATIONS[operation], body, service_id="s", key_id="k")
    assert "c4nary" not in f"{caught.value} {vars(caught.value)}"
    assert "[secret]" in str(caught.value)


def test_the_text_of_a_success_is_not_shown() -> None:
    """It may be a secret that the server has just made."""
    with Scripted(Response(200, "your password is c4nary")) as server, pytest.raises(CloudDBError) as caught:
        Client(config_of(baseUrl=server.url)).call(OPERATIONS["reset_password"], {}, service_id="s")
    assert "c4nary" not in str(caught.value)


# -- what leaves the front ends --------------------------------------------------------------------------------------


@pytest.fixture
def configured() -> str:
    """A secret that this process was configured with."""
    remember(["c4nary-remembered"])
    return "c4nary-remembered"


@pytest.mark.parametrize("debug", ["", "1"])
def test_an_unexpected_error_shows_no_secret(configured: str, debug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a library quotes; with a traceback only when it is asked for."""
    monkeypatch.setenv("CLOUDDB_DEBUG", debug)
    try:
        try:
            raise KeyError(configured)
        except KeyError:
            raise ValueError(f"first {configured}\nsecond\nthird") from None
    except ValueError as raised:
        text = message(raised)
    assert "c4nary" not in text
    assert "unexpected ValueError: first [secret]" in text or debug
    assert ("Traceback" in text) == bool(debug)
    assert debug or text.count("\n") == 1


@pytest.mark.parametrize("debug", ["", "1"])
def test_the_dynamic_host_is_given_no_secret(configured: str, debug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints the traceback of what it catches, with causes: there are none."""
    monkeypatch.setenv("CLOUDDB_DEBUG", debug)
    monkeypatch.setattr("sys.tracebacklimit", 0, raising=False)

    @user_errors
    def fails() -> None:
        raise ValueError(configured)

    with pytest.raises(Exception, match="ValueError") as caught:
        fails()
    assert "c4nary" not in str(caught.value)
    assert caught.value.__suppress_context__
    assert ("Traceback" in str(caught.value)) == bool(debug)


def test_a_warning_shows_no_secret_and_two_lines(configured: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no engine it goes to standard error."""
    log = EngineLog()
    log.address = ""
    log.warn(f"first {configured}\nsecond\nthird")
    assert capsys.readouterr().err == "warning: first [secret] second\nthird\n"


def test_redact_knows_each_configuration_of_the_process() -> None:
    """A plugin may serve several."""
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
def test_a_message_has_two_lines_at_most(text: str, shown: str) -> None:
    """What stood between joins the first line; the last says what to do."""
    assert two_lines(text) == shown
    assert str(ConfigError(text)) == shown


def test_an_error_within_an_error_makes_no_third_line() -> None:
    """A resource may quote what a request failed with."""
    inner = ResourceError("could not read", "Look there.")
    assert str(ResourceError(f"not done: {inner}", "Run again.")) == "not done: could not read Look there.\nRun again."


# -- reports of gitops -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("end", ["", "\n"], ids=["plain", "with a line break"])
def test_a_report_shows_no_configured_secret(form: Callable[[str], str], end: str) -> None:
    """Also one that contains a line break, and the credentials as HTTP Basic sends them."""
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
def test_the_plugin_and_the_host_keep_a_canary(tmp_path: Path) -> None:
    """The real processes, asked for tracebacks: a server quotes the token, and nothing of it comes out."""
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
