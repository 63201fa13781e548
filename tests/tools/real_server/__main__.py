"""Send the requests against a new observability server.

    PYTHONPATH=tests:tests/provider:tests/tools .venv/bin/python -m real_server requests URL KEY
    PYTHONPATH=tests:tests/provider:tests/tools .venv/bin/python -m real_server random URL KEY --seed 1 --count 3000

The last command sends random requests to the server and to the sandbox, and prints different responses.

URL is the root of the API, such as http://127.0.0.1:8000/api/v2, and KEY the API key of a user. The server must have no
objects, and must not limit requests. Created objects are deleted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

import httpx

from clouddb_tools.sandbox import Sandbox

from . import play, random_requests


def main() -> int:
    """Run the command and print problems; return 1 if there are any."""
    chosen = _arguments()
    headers = {"Authorization": f"Bearer {chosen.key}"}
    with httpx.Client(base_url=chosen.url.rstrip("/") + "/", headers=headers, timeout=30) as http:
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
        choices=("requests", "random"),
        help="the recorded requests, or random ones",
    )
    parser.add_argument("url", help="root of the API")
    parser.add_argument("key", help="API key of a user")
    parser.add_argument("--write", action="store_true", help="record the responses as those of the real server")
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


if __name__ == "__main__":
    sys.exit(main())
