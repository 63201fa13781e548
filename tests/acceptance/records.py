"""The exchanges of a run as JSON lines, without secrets and without objects that the run did not make.

A recording can be kept in recorded/ and played to the sandbox (compare.py), so ids, times and secrets are words: the
same value is the same word in the whole file, and a word states the form of a value that the client made.

vcrpy (9.4) and pytest-recording, which is built on it, were tried and do not serve. They replace the HTTP library of
one process, so only the proxy could use them, and they play recorded responses to a client; here, recorded requests are
played to another server. A cassette is written when it is closed, so a run that is killed leaves none, and its hooks
filter one request or response, without a memory by which the id in a response becomes the same word in the next path.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import httpx

from pulumi_clouddb.client.dialect import DIALECTS
from pulumi_clouddb.schema.javascript import is_reserved
from pulumi_clouddb.schema.public_names import public_names
from pulumi_clouddb.schema.secrets.masking import SECRET_NAMES
from pulumi_clouddb.schema.secrets.spellings import SHORTEST, UNMISTAKABLE, spellings_of, texts_of
from pulumi_clouddb.schema.times import parse_timestamp

from .account import Account
from .guard import Creation, Request, creation_of
from .proxy import Exchange

ANSWERED_ONCE = frozenset({"keyId", "accessKey", "uploadUrl"})
"""Fields of responses that are credentials, and that no model marks as secret."""

WITH_PUBLIC_URL = frozenset({"objectStorage", "schemaRegistry"})
"""Objects in a pipe whose `url` is no secret, as that of a webhook is."""

OF_PUBLIC_URL = "query-api-endpoints"
"""The collection of objects whose `url` is no secret."""

RECORDS = "records"
"""The folder of recordings, beside the ledgers."""

KEPT_HEADERS = re.compile(r"content-type|retry-after|x-total-count|(x-)?ratelimit-.*", re.IGNORECASE)

IDS = {
    "uuid": re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
    "hex": re.compile(r"\b[0-9a-f]{32}\b"),
    "object": re.compile(r"\b[0-9a-f]{24}\b"),
}
"""The forms of ids: of the management API, of the tag of a create, and of the observability server."""

ID = re.compile("|".join(each.pattern for each in IDS.values()))
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
WORD = re.compile(r"<([A-Za-z_]+)(?:-(\d+))?(?::([a-z0-9.]+))?>")
"""A word in a recording: its kind, its number, and the form of a value that is made again when it is played."""

ORGANIZATION, RUN = "<organization>", "<run>"
NOT_OURS = "<not recorded: the run did not make this object>"
PAGE, BINARY = "<page>", "<binary>"


@dataclass(frozen=True)
class Recording:
    """The first line of a recording.

    Attributes:
        server: `cloud` or `observability`.
        dialect: The dialect of the server.
        begun: When the first exchange was recorded (ISO-8601); a sandbox that plays it has this time.
        version: The release of the server, if it is known.
    """

    server: str
    dialect: str
    begun: str
    version: str = ""


@dataclass(frozen=True)
class Record:
    """One line: an exchange in words.

    Attributes:
        who: Which part of the run sent the request.
        request: The body, JSON or text; None if it was empty.
        status: The status of the response; None if there was none.
        response: Its body; `NOT_OURS` if it describes an object that the run did not make.
    """

    who: str
    method: str
    path: str
    query: str
    request: Any
    status: int | None
    headers: dict[str, str]
    response: Any

    def line(self) -> str:
        """Return the record as a JSON line."""
        return json.dumps(vars(self), ensure_ascii=False)


def read(file: Path) -> tuple[Recording, list[Record]]:
    """Return the first line and the records of a file."""
    first, *lines = file.read_text(encoding="utf-8").splitlines()
    return Recording(**json.loads(first)), [Record(**json.loads(each)) for each in lines]


class SecretsInRecordsError(ValueError):
    """A recording contains a secret; the message names the lines, and does not quote it."""


@dataclass
class Words:
    """Replaces ids, times, mail addresses and secrets with words; the same value always becomes the same word.

    Args:
        known: Words of values that are known from the start, such as the id of the organization.
    """

    known: dict[str, str] = field(default_factory=dict)
    _words: dict[str, str] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _sent: set[datetime] = field(default_factory=set)
    _ids: dict[str, str] = field(default_factory=dict)
    _ids_of_client: set[str] = field(default_factory=set)
    _secrets: dict[str, str] = field(default_factory=dict)
    _spellings: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    @property
    def secrets(self) -> Collection[str]:
        """The secrets so far."""
        return self._secrets.keys()

    def request(self, value: Any) -> Any:
        """Return a part of a request in words. Its times stay, since they belong to the program."""
        self._sent |= {_instant(each) for text in texts_of(value) for each in TIME.findall(text)}
        return self._replaced(self._masked(value, SECRET_NAMES), "", True)

    def response(self, value: Any, path: str) -> Any:
        """Return the body of a response in words; its own ids are named after the last part of the path."""
        public = {"url"} if OF_PUBLIC_URL in path.split("/") else set()
        names = (SECRET_NAMES | ANSWERED_ONCE) - public
        return self._replaced(self._masked(value, names), path.rpartition("/")[2], False)

    def _masked(self, value: Any, names: Collection[str]) -> Any:
        if isinstance(value, dict):
            return {
                name: self._hidden(each)
                if name in names and each
                else self._masked(each, {*names} - {"url"} if name in WITH_PUBLIC_URL else names)
                for name, each in value.items()
            }
        return [self._masked(each, names) for each in value] if isinstance(value, list) else value

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._hidden(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._hidden(each) for each in value]
        if not isinstance(value, str) or not value:
            return 0 if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        if value not in self._secrets:
            word = self._secrets[value] = self._next("secret", _form_of_secret(value))
            for spelling in spellings_of(value) if _is_telling(value) else ():
                if not ID.fullmatch(spelling):  # an id in a secret address becomes the word of an id
                    self._spellings[spelling[:SHORTEST]][spelling] = word
        return self._secrets[value]

    def _replaced(self, value: Any, name: str, sent: bool) -> Any:
        if isinstance(value, dict):
            self._note_ids(value, name, sent)
            return {key: self._replaced(each, name if key in _ENVELOPE else key, sent) for key, each in value.items()}
        if isinstance(value, list):
            return [self._replaced(each, name, sent) for each in value]
        return self._text(value, name, sent) if isinstance(value, str) else value

    def _note_ids(self, value: dict[str, Any], name: str, sent: bool) -> None:
        """Note the ids in an object that have no known form: those of the client stay, and a server's become words."""
        for key, each in value.items():
            if (
                not isinstance(each, str)
                or not (key == "id" or key.endswith("Id"))
                or ID.search(each)
                or WORD.search(each)
            ):
                continue
            if sent:
                self._ids_of_client.add(each)
            elif each and each not in self._ids and each not in self._ids_of_client:
                self._ids[each] = self._next(name if key == "id" else key, "")

    def _text(self, text: str, name: str, sent: bool) -> str:
        if WORD.fullmatch(text):
            return text
        text = "/".join(self._ids.get(each, each) for each in text.split("/")) if sent else self._ids.get(text, text)
        for value, word in (*self._spelled_in(text), *self.known.items()):
            text = text.replace(value, word)
        text = ID.sub(lambda found: self._id(found[0], name, sent), text)
        text = MAIL.sub(lambda found: self._word(found[0], "mail", "mail"), text)
        return TIME.sub(lambda found: self._time(found[0]), text)

    def _spelled_in(self, text: str) -> list[tuple[str, str]]:
        """Return the spellings of secrets in a text and their words, longest first; a run has thousands."""
        heads = {text[at : at + SHORTEST] for at in range(len(text))}
        found = (each for head in heads & self._spellings.keys() for each in self._spellings[head].items())
        return sorted((each for each in found if each[0] in text), key=lambda each: len(each[0]), reverse=True)

    def _id(self, value: str, name: str, sent: bool) -> str:
        form = next(form for form, pattern in IDS.items() if pattern.fullmatch(value))
        return self._word(value, "id" if sent else name or "id", form if sent else "")

    def _time(self, value: str) -> str:
        return value if _instant(value) in self._sent else self._word(value, "time")

    def _word(self, value: str, kind: str, form: str = "") -> str:
        if value not in self._words:
            self._words[value] = self._next(kind, form)
        return self._words[value]

    def _next(self, kind: str, form: str) -> str:
        kind = re.sub("[^A-Za-z_]", "_", kind)
        self._counts[kind] = self._counts.get(kind, 0) + 1
        return f"<{kind}-{self._counts[kind]}{form and ':'}{form}>"


_ENVELOPE = frozenset({"data", "result", "id"})
"""Keys that do not name what they contain."""


def _instant(text: str) -> datetime:
    moment = parse_timestamp(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _form_of_secret(value: str) -> str:
    """Return the form that a server may require of a secret."""
    if value.startswith(("http://", "https://")):
        return _form_of_address(httpx.URL(value).host)
    if re.fullmatch(r"[A-Za-z0-9+/]{43}=", value):
        return "sha256"
    if re.fullmatch(r"[0-9a-fA-F]{40}", value):
        return "sha1"
    return f"text{len(value)}" if len(value) < UNMISTAKABLE else "text"


def _form_of_address(host: str) -> str:
    """Return whether servers refuse an address: that of a private network, and any of another host than Slack's."""
    if f".{host}".endswith(".slack.com"):
        return "slack"
    return "private" if is_reserved(host) else "url"


def _is_telling(secret: str) -> bool:
    """Return whether a text in other fields is this secret, and no ordinary word."""
    return len(secret) >= UNMISTAKABLE and not secret.isalpha() and secret not in public_names()


def secrets_in(inputs: object) -> Collection[str]:
    """Return the secrets in inputs, which a recording would replace."""
    words = Words()
    words.request(inputs)
    return words.secrets


class Recorder:
    """Listens to the proxy, and appends a line for each exchange.

    Each line is on disk before the next request, so a run that is killed leaves its records.

    Args:
        file: The file, which is replaced.
        first: Its first line.
        token: The text that is part of each name of the run.
        organization_id: The id of the organization; none on an observability server.
        credentials: The credentials of the account: no line may contain them.
    """

    def __init__(
        self, file: Path, first: Recording, token: str, organization_id: str = "", credentials: Iterable[str] = ()
    ) -> None:
        self.file = file
        self._words = Words({token: RUN, **({organization_id: ORGANIZATION} if organization_id else {})})
        self._ours = Ours()
        self._credentials = [each for each in credentials if each]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(vars(first)) + "\n", encoding="utf-8")

    @classmethod
    def of(cls, account: Account, file: Path) -> Recorder:
        """Return a recorder of a run on an account."""
        begun = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        first = Recording(account.kind.value, account.dialect.value, begun)
        return cls(file, first, account.run.token, account.organization_id, account.credentials)

    def __call__(self, exchange: Exchange) -> None:
        """Append the record of an exchange."""
        with self.file.open("a", encoding="utf-8") as stream:
            stream.write(self.record(exchange).line() + "\n")

    def record(self, exchange: Exchange) -> Record:
        """Return the record of an exchange."""
        sent, answered = brief(exchange.request_body), brief(exchange.response_body)
        answered = self._ours.only(exchange.method, exchange.path, sent, exchange.status, answered)
        return Record(
            who=exchange.who,
            method=exchange.method,
            path=self._words.request(exchange.path),
            query=self._words.request(exchange.query),
            request=self._words.request(sent),
            status=exchange.status,
            headers={name.lower(): each for name, each in exchange.headers.items() if KEPT_HEADERS.fullmatch(name)},
            response=self._words.response(answered, exchange.path),
        )

    def check(self, planted: object = None) -> None:
        """Check that no line contains a credential, a planted secret, or one that a request or a response contained.

        Args:
            planted: Inputs or outputs of the provider with secrets.

        Raises:
            SecretsInRecordsError: A line contains one, in any spelling.
        """
        secrets = {*self._credentials, *filter(_is_telling, {*self._words.secrets, *secrets_in(planted)})}
        spellings = {each for secret in secrets for each in spellings_of(secret)}
        lines = self.file.read_text(encoding="utf-8").splitlines()
        if found := [number for number, line in enumerate(lines, 1) if any(each in line for each in spellings)]:
            numbers = ", ".join(map(str, found))
            raise SecretsInRecordsError(f"{self.file} contains secrets in lines {numbers}\nDelete the file.")


class Ours:
    """Removes the objects that the run did not make from responses."""

    def __init__(self) -> None:
        self._made: set[str] = set()

    def only(self, method: str, path: str, sent: Any, status: int | None, answered: Any) -> Any:
        """Return a response without objects of others, and remember what it creates."""
        succeeded = status is not None and status < httpx.codes.MULTIPLE_CHOICES
        creation = creation_of(Request(method, path, body=sent))
        if creation and succeeded and (made := creation.made(answered)):
            self._made.add(made)
        if method == "POST" or not succeeded or self._owns(path):
            return answered
        return self._own_elements(path, answered)

    def _own_elements(self, path: str, answered: Any) -> Any:
        listing = creation_of(Request("POST", path))
        for name in ("result", "data"):
            elements = answered.get(name) if isinstance(answered, dict) else None
            if listing and isinstance(elements, list):
                return {**answered, name: [each for each in elements if self._is(self._path_of(listing, each))]}
        return answered if isinstance(answered, dict) and not answered else NOT_OURS

    def _path_of(self, listing: Creation, element: Any) -> str | None:
        record = listing.collection.LIST.managed.record
        return listing.object_path(DIALECTS[listing.dialect].from_server(record, element))

    def _is(self, path: str | None) -> bool:
        return path is not None and self._owns(path)

    def _owns(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self._made)


def brief(body: Any) -> Any:
    """Return a body without the text of pages and archives."""
    if not isinstance(body, str):
        return body
    if "\ufffd" in body or "\0" in body:
        return BINARY
    return PAGE if body.lstrip().lower().startswith(("<!doctype", "<html")) else body
