"""Send the requests, or run lives of the provider's objects, against a new observability server.

    PYTHONPATH=tests:tests/provider:tests/tools .venv/bin/python -m real_server requests URL KEY
    PYTHONPATH=tests:tests/provider:tests/tools .venv/bin/python -m real_server lives URL KEY
    PYTHONPATH=tests:tests/provider:tests/tools .venv/bin/python -m real_server random URL KEY --seed 1 --count 3000

The last command sends random requests to the server and to the sandbox, and prints different responses.

URL is the root of the API, such as http://127.0.0.1:8000/api/v2, and KEY the API key of a user. The server must have no
objects, and must not limit requests. Created objects are deleted.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from clouddb_tools.sandbox import Sandbox
from support.front_ends import FrontEnds
from support.grpc_driver import HostError

from . import play, random_requests
from .lives import Lives
from .subjects import SUBJECTS, Subject


def main() -> int:
    """Run the command and print problems; return 1 if there are any."""
    chosen = _arguments()
    headers = {"Authorization": f"Bearer {chosen.key}"}
    with httpx.Client(base_url=chosen.url.rstrip("/") + "/", headers=headers, timeout=30) as http:
        if chosen.what == "lives":
            return _lives(http, chosen)
        if chosen.what == "random":
            return _random(http, chosen)
        return _requests(http, write=chosen.write)


def _arguments() -> argparse.Namespace:
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="python -m real_server", description=about, epilog=more, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "what",
        choices=("requests", "lives", "random"),
        help="raw requests, the provider in both modes, or random raw requests",
    )
    parser.add_argument("url", help="root of the API")
    parser.add_argument("key", help="API key of a user")
    parser.add_argument("--write", action="store_true", help="record the responses as those of the real server")
    parser.add_argument("--only", default="", help="play the lives whose name matches this regular expression")
    parser.add_argument("--seed", type=int, default=1, help="which random requests")
    parser.add_argument("--count", type=int, default=3000, help="how many of them")
    return parser.parse_args()


def _requests(http: httpx.Client, *, write: bool) -> int:
    answers = play.play(http)
    if write:
        play.record(answers)
        return 0
    real = play.recorded()
    differing = 0
    for name in [*real, *(each for each in answers if each not in real)]:
        if found := list(play.differences(real.get(name), answers.get(name))):
            differing += 1
            print(name, *(f"    {each}" for each in found), sep="\n")
    print(f"{len(answers)} requests, {differing} of them returned something else")
    return 1 if differing else 0


def _random(http: httpx.Client, chosen: argparse.Namespace) -> int:
    scenarios = list(random_requests.scenarios(chosen.seed, chosen.count))
    with Sandbox(vocabulary="clickhouse") as sandbox, sandbox.self_hosted() as ours:
        play.empty(ours)
        others = play.send_scenarios(ours, scenarios)
    answers = play.send_scenarios(http, scenarios)
    sent = {each.name: each for scenario in scenarios for each in scenario.requests}
    counted = Counter(play.similarity_of(answers[name], others[name]) for name in sent)
    for name, request in sent.items():
        if play.similarity_of(answers[name], others[name]) is play.Similarity.NONE:
            found = play.differences(play.without_words(answers[name]), play.without_words(others[name]))
            print(
                name,
                f"    {request.method} {request.path} {request.body}",
                *(f"    {each}" for each in found),
                sep="\n",
            )
    print(", ".join(f"{counted[each]} {each.value}" for each in play.Similarity))
    return 1 if counted[play.Similarity.NONE] else 0


def _lives(http: httpx.Client, chosen: argparse.Namespace) -> int:
    url = chosen.url.rstrip("/").removesuffix("/api/v2")
    config = {"clouddb:stackUrl": url, "clouddb:stackToken": chosen.key, "clouddb:vocabulary": "clickhouse"}
    subjects = [each for each in SUBJECTS if re.search(chosen.only, each.name)]
    faulty = 0
    with tempfile.TemporaryDirectory() as folder, FrontEnds(config, Path(folder)) as front_ends:
        for mode, driver in (("dynamic", front_ends.dynamic), ("native", front_ends.native)):
            started = time.monotonic()
            lives = Lives(driver, http, {**config, "clouddb:pacing": "false"})
            for subject in subjects:
                found = _problems(lives, subject)
                faulty += bool(found)
                if found:
                    print(f"{mode}: {subject.name}", *(f"    {each}" for each in found), sep="\n", flush=True)
            play.empty(http)
            print(f"{mode}: {len(subjects)} objects in {time.monotonic() - started:.0f} s", flush=True)
    print(f"{2 * len(subjects)} lives, {faulty} with problems")
    return 1 if faulty else 0


def _problems(lives: Lives, subject: Subject) -> list[str]:
    return [
        each
        for what in (lives.life, lives.edits_beside_everything, lives.edits_beside_little)
        for each in _all_of(what, subject)
    ]


def _all_of(what: Callable[[Subject], Iterator[str]], subject: Subject) -> list[str]:
    found: list[str] = []
    try:
        found.extend(what(subject))
    except (HostError, httpx.HTTPError) as error:
        found.append(f"{what.__name__}: {error}")
    return found


if __name__ == "__main__":
    sys.exit(main())
