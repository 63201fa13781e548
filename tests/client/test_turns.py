"""Turns: what processes with one key know of each other, each a `Turns` on one file, under a virtual clock."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from pulumi_clouddb.client import turns as module
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.client.turns import FILE, FLIGHT_SECONDS, LATE_SECONDS, RECOVERY_SECONDS, Turn, Turns, Wait, Waiter
from pulumi_clouddb.registry import OPERATIONS
from support.scripted import Answer, Scripted
from support.sessions import config_of

REQUESTS, SECONDS = 3, 10.0
LIST = "list"


class World:
    """A machine: its folder and its clock, which tests set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1000.0

    def process(self, key: str = "key") -> Turns:
        """Return another process."""
        return Turns(key, REQUESTS, SECONDS, lambda: self.now, self.folder)

    def waiter(self, list_: str | None = None, **how: float) -> Waiter:
        """Return a request that is asked for now."""
        return Waiter(self.now + how.pop("patience", 0.0), list_, **how)  # type: ignore[arg-type]

    def take(self, turns: Turns, list_: str | None = None) -> Turn:
        """Take a turn, which must be free; what is no list is answered at once."""
        found = turns.look(self.waiter(list_))
        assert isinstance(found, Turn)
        assert found.answer is None
        if list_ is None:
            turns.answered(found, None)
        return found

    def use_up(self, turns: Turns) -> None:
        """Take all turns of a window, which must be free."""
        for _ in range(REQUESTS):
            self.take(turns)

    def play(self, looks: dict[str, tuple[Turns, Waiter]], seconds: float) -> list[tuple[float, str]]:
        """Let requests wait until they have their turn; return who had it when."""
        had, due = [], dict.fromkeys(looks, self.now)
        end = self.now + seconds
        while due and (nxt := min(due, key=lambda each: due[each])) and due[nxt] <= end:
            self.now = max(self.now, due[nxt])
            found = looks[nxt][0].look(looks[nxt][1])
            if isinstance(found, Turn):
                if found.list is None:
                    looks[nxt][0].answered(found, None)
                had.append((self.now, nxt))
                del due[nxt]
            else:
                due[nxt] = self.now + found.seconds
        self.now = end
        return had


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A machine on which nothing has happened."""
    return World(tmp_path / "pending")


def test_all_processes_together_keep_the_limit_in_the_order_they_asked(world: World) -> None:
    """However many ask: no window has more turns than the limit, none is left unused, and nobody is passed."""
    asked = {}
    for number in range(10):
        asked[str(number)] = (world.process(), world.waiter())
        world.now += 0.001
    had = world.play(asked, 60)
    assert [name for _, name in had] == [str(number) for number in range(10)]
    times = [at for at, _ in had]
    assert all(late - early >= SECONDS for early, late in zip(times, times[REQUESTS:], strict=False))
    assert times[-1] - times[0] == pytest.approx(3 * SECONDS, abs=0.3)


@pytest.mark.parametrize(("served", "at_a_time"), [(0, 1), (1, 1), (3, 1), (4, 2), (7, 3)])
def test_half_as_many_at_a_time_as_were_served(tmp_path: Path, served: int, at_a_time: int) -> None:
    """Machines that begin together have few of their first requests refused; one that died is not waited for."""
    world = World(tmp_path)
    processes = [Turns("key", 20, SECONDS, lambda: world.now, world.folder) for _ in range(3)]
    for _ in range(served):
        world.take(processes[0])
    for _ in range(at_a_time):
        assert isinstance(processes[1].look(world.waiter()), Turn)
    assert isinstance(processes[2].look(world.waiter()), Wait)
    world.now += FLIGHT_SECONDS
    assert isinstance(processes[2].look(world.waiter()), Turn)


def test_what_was_refused_was_not_served(world: World) -> None:
    """It makes no room for more at a time."""
    process = world.process()
    served = world.take(process)
    refused = process.look(world.waiter())
    assert isinstance(served, Turn)
    assert isinstance(refused, Turn)
    process.answered(refused, None, served=False)
    assert isinstance(process.look(world.waiter()), Wait)


def test_each_key_has_its_own_limit(world: World) -> None:
    """Another key, or another server, has its own turns in the same file."""
    for key in ("one", "two"):
        process = world.process(key)
        world.use_up(process)
        assert isinstance(process.look(world.waiter()), Wait)


def test_a_poll_gives_way_but_does_not_starve(world: World) -> None:
    """Writes that are asked for within its patience go first, those that are asked for later do not."""
    process = world.process()
    world.use_up(process)
    asked = {"poll": (world.process(), world.waiter(patience=10.0))}
    for number in range(20):
        asked[f"write {number}"] = (world.process(), Waiter(world.now + number))
    had = [name for _, name in world.play(asked, 100)]
    assert 10 - REQUESTS < had.index("poll") < 10 + REQUESTS  # those of one window may overtake each other


def test_who_dies_while_waiting_delays_the_others_by_seconds(world: World) -> None:
    """A waiter that never looks again is passed soon after it said that it would."""
    process = world.process()
    world.use_up(process)
    for _ in range(REQUESTS):
        assert isinstance(world.process().look(world.waiter()), Wait)  # and dies
    ((at, _),) = world.play({"mine": (world.process(), world.waiter())}, 60)
    assert at - 1000.0 <= SECONDS + LATE_SECONDS


def test_who_gives_up_delays_nobody(world: World) -> None:
    """A request that is cancelled leaves the queue."""
    first, second = world.process(), world.process()
    world.use_up(first)
    cancelled = world.waiter()
    assert isinstance(first.look(cancelled), Wait)
    first.leave(cancelled)
    ((at, _),) = world.play({"mine": (second, world.waiter())}, 60)
    assert at == pytest.approx(1000.0 + SECONDS, abs=0.1)


# -- lists -----------------------------------------------------------------------------------------------------------


def test_one_list_serves_all_who_asked_before_it_was_sent(world: World) -> None:
    """They wait for its answer and send nothing; who asks later requests another one."""
    process, others = world.process(), [(world.process(), world.waiter(LIST)) for _ in range(3)]
    world.use_up(process)
    assert all(isinstance(each.look(waiter), Wait) for each, waiter in others)
    world.now += SECONDS + 0.1
    (first, waiter), *rest = others
    turn = first.look(waiter)
    assert isinstance(turn, Turn)
    assert all(isinstance(each.look(waiter), Wait) for each, waiter in rest)
    late = (world.process(), world.waiter(LIST))
    first.answered(turn, "[]")
    for each, waiter in rest:
        assert each.look(waiter) == Turn(turn.number, turn.at, LIST, "[]")
    again = late[0].look(late[1])
    assert isinstance(again, Turn)
    assert again.answer is None


def test_a_poll_takes_a_list_that_is_young_enough(world: World) -> None:
    """But none from before its own process wrote something, and none that is older."""
    first, second = world.process(), world.process()
    turn = world.take(first, LIST)
    first.answered(turn, "[]")
    world.now += 2.0
    young = second.look(world.waiter(LIST, max_age=2.5))
    assert isinstance(young, Turn)
    assert young.answer == "[]"
    for how in ({"max_age": 2.5, "written": second.last()}, {"max_age": 1.5}, {}):
        found = second.look(world.waiter(LIST, **how))
        assert isinstance(found, Turn)
        assert found.answer is None
        second.answered(found, None)
        assert isinstance(world.process().look(world.waiter(LIST, spacing=1.0)), (Turn, Wait))
        world.now += SECONDS


def test_lists_are_spaced(world: World) -> None:
    """Many who begin together share the second list."""
    first, second = world.process(), world.process()
    first.answered(world.take(first, LIST), "[]")
    ((at, _),) = world.play({"mine": (second, world.waiter(LIST, spacing=1.0))}, 5)
    assert at == pytest.approx(1001.0)


@pytest.mark.parametrize("dies", [True, False], ids=["dies", "fails"])
def test_who_requested_a_list_and_has_no_answer(world: World, dies: bool) -> None:
    """Another one requests it: at once after a failure, and within a poll after a death."""
    first, second = world.process(), world.process()
    waiting = world.waiter(LIST)
    assert waiting.after is None
    world.take(second)
    waiting.after = 1  # it asked now
    turn = world.take(first, LIST)
    assert isinstance(second.look(waiting), Wait)
    if not dies:
        first.answered(turn, None)
    ((at, _),) = world.play({"mine": (second, waiting)}, 30)
    assert at - 1000.0 <= (FLIGHT_SECONDS + 0.3 if dies else 0.0)


def test_the_answer_to_another_list_serves_nobody(world: World) -> None:
    """Two addresses, or two keys, are two lists."""
    first = world.process()
    first.answered(world.take(first, LIST), "[]")
    found = world.process().look(world.waiter("other", max_age=2.5))
    assert isinstance(found, Turn)
    assert found.answer is None


def test_a_client_takes_the_answer_of_another_process(tmp_path: Path) -> None:
    """With the server's clock; an answer that cannot be read is requested again."""
    dated = Answer(200, {"status": 200, "result": [{"id": "a"}]}, headers={"Date": "Mon, 23 Nov 2026 21:00:00 GMT"})
    with Scripted(dated) as server:

        def process() -> Client:
            return Client(config_of(baseUrl=server.url, pacing=True), folder=tmp_path)

        with polling(5.0):
            for _ in range(3):
                client = process()
                assert client.call(OPERATIONS["list_services"]) == [{"id": "a"}]
                assert client.server_time(ServerKind.MANAGEMENT) is not None
            assert server.count == 1
            connection = sqlite3.connect(tmp_path / FILE, isolation_level=None)
            connection.execute("UPDATE lists SET answer = '['")
            connection.close()
            assert process().call(OPERATIONS["list_services"]) == [{"id": "a"}]
            assert process().call(OPERATIONS["list_keys"]) == [{"id": "a"}]
            assert server.count == 3
            for _ in range(2):  # other answers may contain secrets
                process().call(OPERATIONS["list_keys"])
            assert server.count == 5


# -- 429 -------------------------------------------------------------------------------------------------------------


def test_after_429_no_process_sends_until_the_server_says(world: World) -> None:
    """One process is refused, all wait; a shorter time does not open sooner."""
    first, second = world.process(), world.process()
    world.take(first)
    first.close(8.0)
    first.close(2.0)
    assert second.look(world.waiter()) == Wait(8.0, closed=True, refused=True)
    world.now += SECONDS + 0.1
    world.take(second)


def test_a_machine_takes_what_it_was_served_and_recovers(world: World) -> None:
    """Refused though it had turns left: others use the key. It takes less, and one turn more after each minute."""

    def in_a_window(seconds_later: float) -> int:
        world.now = 1001.0 + seconds_later
        asked = {str(number): (world.process(), world.waiter()) for number in range(REQUESTS)}
        had = len(world.play(asked, SECONDS - 0.5))
        for process, waiter in asked.values():
            process.leave(waiter)
        return had

    first = world.process()
    world.take(first)
    world.take(first)
    first.close(2.0)
    assert in_a_window(2 * SECONDS) == 1
    assert in_a_window(RECOVERY_SECONDS + 1) == 2
    assert in_a_window(2 * RECOVERY_SECONDS + 1) == REQUESTS


def test_a_machine_that_is_refused_its_only_turn_takes_one_in_two_windows(world: World) -> None:
    """More machines than turns."""
    first = world.process()
    for _ in range(2):
        world.take(first)
        first.close(2.0)
        world.now += 2.1 + 2 * SECONDS
    world.take(first)
    ((at, _),) = world.play({"mine": (first, world.waiter())}, 60)
    assert at >= 1000.0 + 3 * SECONDS


def test_a_request_that_slips_into_the_last_window_costs_no_share(world: World) -> None:
    """It was sent when that window was over by our clock, and refused for a moment: nobody else uses the key."""
    first = world.process()
    world.use_up(first)
    world.now += SECONDS + 0.1
    world.take(first)
    first.close(0.5)
    world.now += SECONDS + 1
    world.use_up(first)


def test_nothing_remaining_is_no_refusal(world: World) -> None:
    """The server counts down: nobody sends, and a machine alone keeps all its turns."""
    first = world.process()
    world.use_up(first)
    first.close(1.0, refused=False)
    world.now += SECONDS + 1
    world.use_up(first)


# -- the file --------------------------------------------------------------------------------------------------------


def test_only_its_owner_reads_the_file(world: World) -> None:
    """Whatever the umask is; nothing but the file is left."""
    before = os.umask(0)
    try:
        world.take(world.process())
    finally:
        os.umask(before)
    assert [path.name for path in world.folder.iterdir()] == [FILE]
    assert stat.S_IMODE(world.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((world.folder / FILE).stat().st_mode) == 0o600


def _garbage(file: Path) -> None:
    file.write_bytes(b"no database" * 1000)


def _truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def _holes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    file.write_bytes(bytes(data))


def _other_tables(file: Path) -> None:
    file.unlink()
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE turns (other TEXT)")
    connection.close()


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _odd_values(file: Path) -> None:
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("INSERT INTO turns (key, at) VALUES ('key', 'soon'), ('key', 1e300), (NULL, NULL)")
    connection.execute("INSERT INTO waiting (key, due, until) VALUES ('key', 'soon', 'late'), ('key', -1e300, 1e300)")
    connection.execute("INSERT INTO closed VALUES ('key', 1.0, 1e300, 'all')")
    connection.execute("INSERT INTO lists VALUES ('list', 'x', 'y', 'z')")
    connection.close()


@pytest.mark.parametrize("harm", [_garbage, _truncated, _holes, _other_tables, _folder, _odd_values])
def test_a_broken_file_is_ignored(world: World, harm: Callable[[Path], None]) -> None:
    """It is made anew, or a process goes on by itself; no request fails or waits for it."""
    world.take(world.process())
    harm(world.folder / FILE)
    process = world.process()
    for _ in range(REQUESTS - 1):
        process.answered(world.take(process, LIST), None)
        world.now += 0.1
    process.close(1.0)
    assert process.last() >= REQUESTS - 1


@pytest.mark.parametrize("harm", [_garbage, _holes])
def test_a_file_that_breaks_meanwhile_is_ignored(world: World, harm: Callable[[Path], None]) -> None:
    """The same for a process that had it open."""
    process = world.process()
    world.take(process)
    harm(world.folder / FILE)
    for _ in range(REQUESTS - 1):
        world.take(process)
        world.now += 0.1


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """Each process goes on by itself."""
    (tmp_path / "file").write_text("")
    world = World(tmp_path / "file" / "pending")
    process = world.process()
    world.use_up(process)
    assert isinstance(process.look(world.waiter()), Wait)


def test_a_clock_that_began_anew_holds_nobody_back(world: World) -> None:
    """The file outlives the machine's start, its clock does not: what is later than now is void."""
    process = world.process()
    world.use_up(process)
    process.look(world.waiter())
    process.close(100.0)
    world.now = 5.0
    world.take(world.process())


def test_a_process_that_stops_within_a_change_delays_others_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait for it for some seconds, then go on by themselves."""
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.1)
    world.take(world.process())
    stopped = sqlite3.connect(world.folder / FILE, isolation_level=None)
    stopped.execute("BEGIN IMMEDIATE")
    process = world.process()
    world.use_up(process)
    stopped.close()
