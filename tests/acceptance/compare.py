"""Play a recording to the sandbox, and print each difference between its responses and the recorded ones once.

    make acceptance COMPARE=FILE    # COMPARE=1 plays the last recording

The requests are sent in the recorded order. The words of ids, times and secrets take the values that the sandbox
returns where the recording has the word for the first time. A request with the id of an object that the sandbox did not
create cannot be played; it is counted, and the difference that caused it is printed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from clouddb_tools.release import NEWEST, Release
from clouddb_tools.sandbox import Clock, Sandbox
from pulumi_clouddb.schema.times import parse_timestamp
from pulumi_clouddb.things.user_defined_functions.api import ZIP
from real_server import play

from .guard import FOLDER
from .records import MAIL, NOT_OURS, ORGANIZATION, RECORDS, RUN, TIME, WORD, Ours, Record, Recording, brief, read

TOKEN = "acc0123456789ab"
"""The token of the run that the sandbox sees."""

LONGEST = 160
"""Characters of a value in a printed difference."""


@dataclass(frozen=True)
class Reason:
    """Why a kind of differences is known.

    Attributes:
        where: A regular expression for the whole method and path, such as `PUT .*/dashboards/<dashboards>`.
        path: A regular expression for the whole path in the body; elements of lists have no numbers.
        text: The reason.
    """

    where: str
    path: str
    text: str


KNOWN: tuple[Reason, ...] = (
    Reason(".*", r"meta\.total|totalCount", "It counts objects that the run did not make."),
    Reason(
        ".*",
        r"result.*\.(endpoints\[\]\.(host|username)|hostname|iamRole|keySuffix|privateDnsHostname)",
        "A server makes a value for each object.",
    ),
)
"""The kinds of differences that are known."""


@dataclass
class Difference:
    """A difference, with the lines of the recording that have it.

    Attributes:
        where: Method and path, with the kinds of ids.
        path: The path in the body, or `status`.
        text: What the sandbox and the server have, in the first line.
        lines: The numbers of the lines.
    """

    where: str
    path: str
    text: str
    lines: list[int] = field(default_factory=list)

    @property
    def reason(self) -> str | None:
        """Why the difference is known; None if it is not."""
        return next((each.text for each in KNOWN if _is(each.where, self.where) and _is(each.path, self.path)), None)

    def __str__(self) -> str:
        """Return one line."""
        more = f" and {len(self.lines) - 1} more" if len(self.lines) > 1 else ""
        return f"{self.where}: {self.path}: {self.text} (line {self.lines[0]}{more})"


@dataclass
class Comparison:
    """The result of playing a recording.

    Attributes:
        played: How many requests were sent.
        left_out: How many were not: the server did not respond or refused them for its limit of requests or their
            credentials, or they are for an object that is older than the run.
        impossible: The lines with ids that the sandbox did not return.
        differences: Each difference once.
    """

    played: int = 0
    left_out: int = 0
    impossible: list[int] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)

    @property
    def unknown(self) -> list[Difference]:
        """The differences without a reason."""
        return [each for each in self.differences if each.reason is None]


class UnboundError(LookupError):
    """A request has a word without a value."""


class Player:
    """Plays records to a server, and compares its responses with the recorded ones.

    Args:
        http: A client of the root of the server, which authenticates.
        values: The values of words that are known from the start.
    """

    def __init__(self, http: httpx.Client, values: dict[str, str]) -> None:
        self._http, self._values = http, dict(values)
        self._words = {value: word for word, value in values.items()}
        self._ours = Ours()
        self._found: dict[tuple[str, str, str], Difference] = {}

    def play(self, records: Iterable[Record]) -> Comparison:
        """Send the requests of all records, and return the differences."""
        result = Comparison()
        for line, record in enumerate(records, 2):  # the first line describes the recording
            if _cannot_be_played(record):
                result.left_out += 1
                continue
            try:
                response = self._send(record)
            except UnboundError:
                result.impossible.append(line)
                continue
            result.played += 1
            for path, text in self._compared(record, response):
                self._note(record, path, text, line)
        result.differences = [*self._found.values()]
        return result

    def _send(self, record: Record) -> httpx.Response:
        path, query, body = (self._filled(each) for each in (record.path, record.query, record.request))
        content = None if body is None else json.dumps(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        target = f"{path}?{query}" if query else path
        response = self._http.request(record.method, target, content=content, headers=headers)
        self._upload(response)
        return response

    def _upload(self, response: httpx.Response) -> None:
        """Send an archive to an address that a response returns: uploads do not pass the proxy of a run."""
        body = _content(response)
        result = body.get("result") if isinstance(body, dict) else None
        if isinstance(result, dict) and "uploadUrl" in result:
            headers = {"Content-Type": ZIP}
            httpx.put(result["uploadUrl"], content=_archive(), headers=headers, trust_env=False).raise_for_status()

    def _note(self, record: Record, path: str, text: str, line: int) -> None:
        where = f"{record.method} {WORD.sub(lambda found: f'<{found[1]}>', record.path)}"
        path = re.sub(r"\[\d+\]", "[]", path)
        kind = re.sub(r'".*?"', "", text) if path == "status" else re.sub(r'".*?"|[\d.]+', "", text)
        found = self._found.setdefault((where, path, kind), Difference(where, path, text))
        found.lines.append(line)

    # -- words ---------------------------------------------------------------------------------------------------------

    def _filled(self, value: Any) -> Any:
        """Return a part of a request with values in place of words.

        Raises:
            UnboundError: A word has no value.
        """
        if isinstance(value, dict):
            return {name: self._filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        return WORD.sub(self._value, value) if isinstance(value, str) else value

    def _value(self, found: re.Match[str]) -> str:
        word = found[0]
        if word not in self._values:
            if not found[3]:
                raise UnboundError(word)
            self._bind(word, made(found[2], found[3]))
        return self._values[word]

    def _bind(self, word: str, value: str) -> None:
        self._values[word] = value
        self._words.setdefault(value, word)

    # -- comparison ----------------------------------------------------------------------------------------------------

    def _compared(self, record: Record, response: httpx.Response) -> Iterator[tuple[str, str]]:
        path = self._filled(record.path)
        answered = brief(_content(response))
        answered = self._ours.only(record.method, path, self._filled(record.request), response.status_code, answered)
        if response.status_code != record.status:
            yield (
                "status",
                f"{response.status_code}{_words(answered)}; the server has {record.status}{_words(record.response)}",
            )
            return
        if record.response == NOT_OURS:
            return
        if response.is_error:
            yield from self._values_differ("", _refusal(record.response), _refusal(answered))
            return
        collection = record.path.rpartition("/")[2]
        yield from self._differ("", _sorted(collection, record.response), _sorted(collection, answered))

    def _differ(self, path: str, real: Any, other: Any) -> Iterator[tuple[str, str]]:
        if isinstance(real, dict) and isinstance(other, dict):
            for name in [*real, *(each for each in other if each not in real)]:
                inner = f"{path}.{name}".lstrip(".")
                if name not in other:
                    yield inner, f"is missing; the server has {_brief(real[name])}"
                elif name not in real:
                    yield inner, f"{_brief(other[name])}; the server has no such thing"
                else:
                    yield from self._differ(inner, real[name], other[name])
        elif isinstance(real, list) and isinstance(other, list):
            if len(real) != len(other):
                yield path, f"{len(other)} elements; the server has {len(real)}"
                return
            for index, (one, another) in enumerate(zip(real, other, strict=True)):
                yield from self._differ(f"{path}[{index}]", one, another)
        else:
            yield from self._values_differ(path, real, other)

    def _values_differ(self, path: str, real: Any, other: Any) -> Iterator[tuple[str, str]]:
        if isinstance(real, str) and isinstance(other, str) and self._matches(real, other):
            return
        if real != other or isinstance(real, bool) != isinstance(other, bool):
            yield path, f"{_brief(other)}; the server has {_brief(real)}"

    def _matches(self, real: str, other: str) -> bool:
        """Return whether a text is a recorded one with values in place of the words, and bind new words."""
        words = [found[0] for found in WORD.finditer(real)]
        if not words:
            return real == other
        pattern = "(.+)".join(re.escape(each) for each in WORD.split(real)[:: WORD.groups + 1])
        found = re.fullmatch(pattern, other, re.DOTALL)
        return found is not None and all(map(self._is_value, words, found.groups()))

    def _is_value(self, word: str, value: str) -> bool:
        if word.startswith("<time-"):  # two events can have one time, and on another server different ones
            self._bind(word, value)
            return TIME.fullmatch(value) is not None
        if word in self._values:
            return self._values[word] == value
        if not _form_of(word).fullmatch(value) or value in self._words:
            return False
        self._bind(word, value)
        return True


def _archive() -> bytes:
    """Return the smallest archive of a function that can be built."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("main.py", "")
    return written.getvalue()


DEPENDS_ON_CALLER = (None, httpx.codes.UNAUTHORIZED, httpx.codes.TOO_MANY_REQUESTS)
"""The status of requests that are not played: no response, other credentials, and the limit."""


def _cannot_be_played(record: Record) -> bool:
    """Return whether nothing can be compared, or the request is for an object that is older than the run."""
    is_older = record.response == NOT_OURS and any(found[3] for found in WORD.finditer(record.path))
    return record.status in DEPENDS_ON_CALLER or is_older


def _form_of(word: str) -> re.Pattern[str]:
    """Return the form of the values of a word that occurs in a response first."""
    kind = word[1:-1].partition("-")[0]
    return {"mail": MAIL, "secret": _ANYTHING}.get(kind, _ID)


_ANYTHING = re.compile(".+", re.DOTALL)
_ID = re.compile(r"[^\s/]+")
"""Servers differ in the form of ids."""


def made(number: str, form: str) -> str:
    """Return a value that the client of the recording made, in its form."""
    digest = hashlib.sha256(f"{form} {number}".encode())
    forms: dict[str, Callable[[], str]] = {
        "uuid": lambda: f"00000000-0000-4000-8000-{int(number):012x}",
        "hex": lambda: f"{int(number):032x}",
        "object": lambda: f"{int(number):024x}",
        "mail": lambda: f"mail-{number}@example.com",
        "url": lambda: f"https://secret-{number}.example.com/",
        "private": lambda: f"http://127.0.0.1/secret-{number}",
        "slack": lambda: f"https://hooks.slack.com/services/secret-{number}",
        "sha256": lambda: base64.b64encode(digest.digest()).decode(),
        "sha1": lambda: hashlib.sha1(digest.digest(), usedforsecurity=False).hexdigest(),
        "text": lambda: f"Secret-{number:0>8}",
    }
    return forms[form]() if form in forms else digest.hexdigest()[: int(form.removeprefix("text"))]


def _content(response: httpx.Response) -> Any:
    try:
        return response.json() if response.content else None
    except ValueError:
        return response.text


def _words(body: Any) -> str:
    """Return the words of a refusal; none for other bodies."""
    words = body.get("error") or body.get("message") if isinstance(body, dict) else body
    return f" {_brief(words)}" if isinstance(words, str) and words != NOT_OURS else ""


def _refusal(body: Any) -> Any:
    """Return the part of a refusal that releases have in common: a code, or the properties that it names."""
    if not isinstance(body, dict):
        return body
    if isinstance(message := body.get("message"), str) and " validation failed: " in message:
        return json.dumps(play.refused_properties(message))
    if isinstance(error := body.get("error"), str):
        return error.partition(": ")[0]
    return json.dumps(body)


def _sorted(collection: str, body: Any) -> Any:
    """Return a body with lists that have no order sorted by name."""
    if collection in play.UNSORTED and isinstance(body, dict) and isinstance(body.get("data"), list):
        return {**body, "data": sorted(body["data"], key=lambda each: str(each.get("name")))}
    return body


def _brief(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _is(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def compare(file: Path) -> Comparison:
    """Play a recording to a new sandbox of its dialect, at the time of the recording."""
    recording, records = read(file)
    begun, started = parse_timestamp(recording.begun).timestamp(), time.monotonic()
    clock = Clock(lambda: begun + time.monotonic() - started)
    release = Release.AUGUST_2026 if recording.version.startswith("2.36") else NEWEST
    with (
        Sandbox(vocabulary=recording.dialect, clock=clock, release=release) as sandbox,
        _client(recording, sandbox) as http,
    ):
        if recording.server == "observability":
            with sandbox.self_hosted() as initial:
                play.empty(initial)
        return Player(http, {ORGANIZATION: sandbox.organization_id, RUN: TOKEN}).play(records)


def _client(recording: Recording, sandbox: Sandbox) -> httpx.Client:
    client = sandbox.management() if recording.server == "cloud" else sandbox.self_hosted()
    client.base_url = httpx.URL(sandbox.url)
    return client


def report(file: Path) -> Comparison:
    """Compare a recording with the sandbox, and print the result."""
    result = compare(file)
    for each in result.unknown:
        print(each)
    known = [each for each in result.differences if each.reason]
    for reason in dict.fromkeys(each.reason for each in known):
        print(f"known: {', '.join(f'{each.where}: {each.path}' for each in known if each.reason == reason)}: {reason}")
    impossible = f", {len(result.impossible)} not possible" if result.impossible else ""
    print(
        f"{file}: {result.played} requests played, {result.left_out} left out{impossible}; "
        f"{len(result.unknown)} differences, {len(known)} known"
    )
    return result


def chosen(argument: str, folder: Path = FOLDER / RECORDS) -> Path:
    """Return the file with a name, or for `1` the last recording.

    Raises:
        FileNotFoundError: There is none.
    """
    if argument != "1":
        return Path(argument)
    files = sorted(folder.expanduser().glob("*.jsonl"), key=lambda each: each.stat().st_mtime)
    if not files:
        raise FileNotFoundError(f"{folder} contains no recording\nRun make acceptance YES=1 first, or name a file.")
    return files[-1]


if __name__ == "__main__":
    sys.exit(1 if report(chosen(sys.argv[1])).unknown else 0)
