"""Probes of requests in general: envelopes, errors, lists, times and limits."""

from __future__ import annotations

from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import httpx

from acceptance.bench import ABSENT, ABSENT_UUID, AT_ONCE, Bench, Reply, Values
from acceptance.outcome import Holds, Outcome, each_holds, equal, holds_if
from acceptance.world import identifier

POLL_SECONDS = 5.0
TOO_MANY = 130
"""More requests than any limit allows at once."""

LISTS = 4
"""After so many lists an object counts as missing, `POLL_SECONDS` apart."""


def _list(bench: Bench) -> Reply:
    """Return the list of objects that cost nothing."""
    return bench.cloud("GET", "/keys") if bench.is_cloud else bench.stack("GET", "/dashboards")


def _new(bench: Bench) -> tuple[Values, Reply]:
    """Create such an object, and return its record and a later response."""
    made = (
        bench.make_cloud("/keys", {"name": bench.name("Key"), "roles": ["developer"]})["key"]
        if bench.is_cloud
        else bench.board([])
    )
    return made, _list(bench)


def results_are_in_envelopes(bench: Bench) -> Outcome:
    """List objects."""
    name = "result" if bench.is_cloud else "data"
    body = _list(bench).body
    return holds_if(isinstance(body, dict) and isinstance(body.get(name), list), f"a list has no {name}")


def missing_objects_are_404_of_the_api(bench: Bench) -> Outcome:
    """Read objects that do not exist."""
    if bench.is_cloud:
        replies = [bench.cloud("GET", f"/{each}/{ABSENT_UUID}") for each in ("services", "keys")]
        return each_holds(*(holds_if(each.refused(404), each.words) for each in replies))
    further = (("sources",), ("connections",)) if bench.is_vendor else ((), ())
    named = [bench.stack("GET", f"/{each}/{ABSENT}") for each in ("alerts", *further[0])]
    bare = [bench.stack("GET", f"/{each}/{ABSENT}") for each in ("dashboards", *further[1])]
    return each_holds(
        *(holds_if(each.refused(404), each.words) for each in named),
        *(holds_if(each.status == 404 and each.response.text == "Not Found", each.words) for each in bare),
    )


def unknown_paths_are_another_404(bench: Bench) -> Outcome:
    """Request a path that no server has."""
    reply = (bench.cloud if bench.is_cloud else bench.stack)("GET", "/probed-by-nobody")
    bare = reply.response.text == "Not Found"
    return holds_if(reply.status == 404 and reply.reason is None and not bare, reply.words)


def refusals_have_a_reason(bench: Bench) -> Outcome:
    """Send invalid bodies."""
    if bench.is_cloud:
        reply = bench.cloud("POST", "/keys", {"name": bench.name("Key"), "roles": "probed"})
    else:
        reply = bench.stack("POST", "/dashboards", {"name": bench.name("Board"), "tiles": "probed"})
    return holds_if(reply.response.is_client_error and reply.reason, reply.words)


def wrong_credentials_are_401(bench: Bench) -> Outcome:
    """Send a request with a made-up secret, or a made-up token."""
    if bench.is_cloud:
        reply = bench.send_as("GET", bench.of_organization("/keys"), key_secret="probed")
    else:
        reply = bench.send_as("GET", "/api/v2/dashboards", stack_token="probed")
    return holds_if(reply.status == 401, reply.words)


def user_of_the_token_has_no_envelope(bench: Bench) -> Outcome:
    """Read the user of the token."""
    body = bench.send("GET", "/api/v2/").body
    return holds_if(isinstance(body, dict) and isinstance(body.get("user"), dict), f"the response is {body}")


def health_names_the_version(bench: Bench) -> Outcome:
    """Read the version."""
    body = bench.send("GET", "/health").body
    return holds_if(isinstance(body, dict) and "version" in body, f"the response is {body}")


def responses_are_dated(bench: Bench) -> Outcome:
    """Look for the time in a response."""
    try:
        parsedate_to_datetime(_list(bench).response.headers["date"])
    except (KeyError, TypeError, ValueError):
        return holds_if(False, "a response has no Date")
    return Holds()


def objects_are_dated_by_the_same_clock(bench: Bench) -> Outcome:
    """Compare the time in a new object with that of the next response."""
    record, reply = _new(bench)
    now = parsedate_to_datetime(reply.response.headers["date"])
    if "createdAt" in record:
        made = datetime.fromisoformat(str(record["createdAt"]).replace("Z", "+00:00"))
    else:
        made = datetime.fromtimestamp(int(str(record["id"])[:8], 16), timezone.utc)
    apart = (now - made).total_seconds()
    return holds_if(-2 <= apart <= 30, f"a new object is {apart:g} s old")


def ids_begin_with_their_second(bench: Bench) -> Outcome:
    """Compare the id of a new dashboard with the time of the next response."""
    board = bench.board([])
    now = parsedate_to_datetime(bench.stack("GET", "/dashboards").response.headers["date"]).timestamp()
    try:
        apart = now - int(str(board["id"])[:8], 16)
    except ValueError:
        return holds_if(False, f"an id is {board['id']!r}")
    return holds_if(len(board["id"]) == 24 and -2 <= apart <= 30, f"the id {board['id']} is {apart:g} s old")


def new_objects_are_listed_soon(bench: Bench) -> Outcome:
    """List objects until a new one is shown."""
    record, reply = _new(bench)
    for _ in range(LISTS):
        if any(each["id"] == record["id"] for each in reply.result):
            return Holds()
        bench.account.sleep(POLL_SECONDS)
        reply = _list(bench)
    return holds_if(False, f"a new object is in none of {LISTS} lists within {LISTS * POLL_SECONDS:g} s")


def lists_have_whole_records(bench: Bench) -> Outcome:
    """Compare a record in a list with the object when it is read alone."""
    if bench.is_cloud:
        alone, listed = bench.cloud("GET", f"/services/{bench.service['id']}"), bench.cloud("GET", "/services")
    else:
        board = bench.board([bench.tile()])
        listed, alone = bench.stack("GET", "/dashboards"), bench.stack("GET", f"/dashboards/{board['id']}")
    record = next(each for each in listed.result if each["id"] == alone.result["id"])
    missing = sorted({*alone.result} - {*record})
    return holds_if(not missing, f"a list lacks {', '.join(missing)}")


def reads_have_what_writes_return(bench: Bench) -> Outcome:
    """Compare the response to a create with the record in a list."""
    record, listed = _new(bench)
    later = next((each for each in listed.result if each["id"] == record["id"]), record)
    missing = sorted({*record} - {*later})
    return holds_if(not missing, f"a list lacks {', '.join(missing)} of the response to a create")


def offsets_select_pages(bench: Bench) -> Outcome:
    """List two of three saved searches, and then the next ones."""
    made = {bench.search()["id"] for _ in range(3)}
    whole = bench.stack("GET", "/saved-searches").result
    pages = [
        bench.stack("GET", f"/saved-searches?limit=2&offset={offset}").result
        for offset in range(0, 1000, 2)[: len(whole)]
    ]
    if bench.is_cloud and pages[0] == whole:
        return holds_if(made <= {each["id"] for each in whole}, "the list lacks an object")
    ids = [each["id"] for page in pages for each in page]
    return each_holds(
        holds_if(all(len(page) <= 2 for page in pages), "a page has more than its limit"),
        holds_if(made <= {*ids} and len(ids) == len({*ids}), "the pages lack an object, or repeat one"),
    )


def unknown_properties_are_dropped(bench: Bench) -> Outcome:
    """Create an object with a property that no server knows."""
    if bench.is_cloud:
        record = bench.make_cloud("/keys", {"name": bench.name("Key"), "probedByNobody": 1})["key"]
    else:
        record = bench.board([], probedByNobody=1)
    return holds_if("probedByNobody" not in record, "an unknown property is returned")


def newer_bodies_are_strict(bench: Bench) -> Outcome:
    """Create objects with a property that no server knows."""
    query = {"name": bench.name("Query"), "sql": "SELECT 1", "database": "default", "probedByNobody": 1}
    endpoint = {**query, "apiKeyIds": [ABSENT_UUID], "roles": ["sql_console_read_only"]}
    function = {
        "functionName": identifier(bench.account.run, "probed"),
        "runtime": "python3.11",
        "type": "executable",
        "arguments": [],
        "returnType": "UInt8",
        "uploadId": ABSENT_UUID,
        "probedByNobody": 1,
    }
    service = f"/services/{bench.service['id']}"
    bodies = {f"{service}/saved-queries": query, f"{service}/query-api-endpoints": endpoint, "/udfs": function}
    outcomes = []
    for path, body in bodies.items():
        reply = bench.cloud("POST", path, body)
        if reply.response.is_success:
            made = reply.result
            bench.will_delete(bench.of_organization(f"{path}/{made.get('id') or made.get('functionName')}"))
        outcomes.append(holds_if(reply.refused(), reply.words))
    return each_holds(*outcomes)


def texts_are_counted_in_utf16(bench: Bench) -> Outcome:
    """Send tags of 16 and of 17 characters of two units each; the limit is 32."""
    bench.board([], tags=["\N{GRINNING FACE}" * 16])
    body = {"name": bench.name("Board"), "tiles": [], "tags": ["\N{GRINNING FACE}" * 17]}
    reply = bench.stack("POST", "/dashboards", body)
    if reply.response.is_success:
        bench.will_delete(f"{bench.stack_path}/dashboards/{reply.result['id']}")
    return holds_if(reply.refused(), reply.words)


def twelve_bytes_are_an_id(bench: Bench) -> Outcome:
    """Read alerts with ids of other lengths."""
    long, short = bench.stack("GET", "/alerts/twelve-bytes"), bench.stack("GET", "/alerts/short")
    return each_holds(holds_if(long.status == 404, long.words), holds_if(short.status == 400, short.words))


def paths_are_lenient(bench: Bench) -> Outcome:
    """Send a path with another case and a slash at its end."""
    reply = bench.send("GET", "/api/v2/Dashboards/")
    return holds_if(reply.response.is_success, reply.words)


def slash_at_the_end_is_ignored(bench: Bench) -> Outcome:
    """Send a path with a slash at its end."""
    reply = bench.cloud("GET", "/services/")
    return holds_if(reply.response.is_success, reply.words)


def cloud_accepts_ten_requests_in_ten_seconds(bench: Bench) -> Outcome:
    """Send more requests than the limit allows."""
    return equal(sum(each.response.is_success for each in bench.once(_limit_reached)), 10, "the accepted requests")


def stack_accepts_hundred_requests_in_a_minute(bench: Bench) -> Outcome:
    """Look at the limit in the headers."""
    headers = bench.stack("GET", "/dashboards").response.headers
    return equal(headers.get("ratelimit-limit"), "100", "RateLimit-Limit")


def refusals_end_with_the_limit(bench: Bench) -> Outcome:
    """Send more requests than the limit allows, and look for the end of the window in each refusal."""
    refused = [each for each in bench.once(_limit_reached) if each.status == httpx.codes.TOO_MANY_REQUESTS]
    names, most = (("x-ratelimit-reset",), 10) if bench.is_cloud else (("ratelimit-reset", "retry-after"), 60)
    given = {name: each.response.headers.get(name, "none") for each in refused for name in names}
    fit = [value.replace(".", "", 1).isdigit() and float(value) <= most for value in given.values()]
    return holds_if(refused and all(fit), f"{len(refused)} requests are refused, with {given}")


def _limit_reached(bench: Bench) -> list[Reply]:
    """Send more requests than any limit allows, at the beginning of a window, and wait for its end."""
    path = bench.of_organization("/keys") if bench.is_cloud else "/api/v2/dashboards"
    bench.account.sleep(61.0)
    replies = bench.send_at_once("GET", path, AT_ONCE if bench.is_cloud else TOO_MANY)
    bench.account.sleep(61.0)
    return replies
