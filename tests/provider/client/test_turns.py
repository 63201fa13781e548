"""Rate limits shared by processes with one key: each is a `Turns` on the same file, under a virtual clock."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from pulumi_clouddb.client import turns as module
from pulumi_clouddb.client.client import Client
from pulumi_clouddb.client.operation import ServerKind
from pulumi_clouddb.client.rate_limiter import polling
from pulumi_clouddb.client.turns import FILE, FLIGHT_SECONDS, LATE_SECONDS, RECOVERY_SECONDS, Turn, Turns, Wait, Waiter
from pulumi_clouddb.registry import OPERATIONS
from support.scripted import Response, Scripted
from support.sessions import config_of

REQUESTS, SECONDS = 3, 10.0
LIST = "list"


class Machine:
    """A machine, with a folder and a clock that tests set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1000.0

    def process(self, key: str = "key") -> Turns:
        """Return the turns of another process."""
        return Turns(key, REQUESTS, SECONDS, lambda: self.now, self.folder)

    def waiter(self, list_: str | None = None, delay: float = 0.0, **how: float) -> Waiter:
        """Return a request that begins to wait now; `delay` makes it a poll."""
        return Waiter(self.now + delay, list_, **how)  # type: ignore[arg-type]

    def take(self, turns: Turns, list_: str | None = None) -> Turn:
        """Take a turn, which must be free; a turn for no list is finished at once."""
        turn = turns.look(self.waiter(list_))
        assert isinstance(turn, Turn)
        assert turn.answer is None
        if list_ is None:
            turns.answered(turn, None)
        return turn

    def use_up(self, turns: Turns) -> None:
        """Take all turns of a window; they must be free."""
        for _ in range(REQUESTS):
            self.take(turns)

    def play(self, looks: dict[str, tuple[Turns, Waiter]], seconds: float) -> list[tuple[float, str]]:
        """Let requests wait for their turns, and return when each one got its turn."""
        turns_taken, due = [], dict.fromkeys(looks, self.now)
        end = self.now + seconds
        while due and (name := min(due, key=lambda each: due[each])) and due[name] <= end:
            self.now = max(self.now, due[name])
            result = looks[name][0].look(looks[name][1])
            if isinstance(result, Turn):
                if result.list is None:
                    looks[name][0].answered(result, None)
                turns_taken.append((self.now, name))
                del due[name]
            else:
                due[name] = self.now + result.seconds
        self.now = end
        return turns_taken


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Return a machine without any turns."""
    return Machine(tmp_path / "pending")


def test_processes_keep_the_limit_in_order(machine: Machine) -> None:
    """No window has more turns than the limit, none is left unused, and requests keep their order."""
    requests = {}
    for number in range(10):
        requests[str(number)] = (machine.process(), machine.waiter())
        machine.now += 0.001
    turns_taken = machine.play(requests, 60)
    assert [name for _, name in turns_taken] == [str(number) for number in range(10)]
    times = [at for at, _ in turns_taken]
    assert all(late - early >= SECONDS for early, late in zip(times, times[REQUESTS:], strict=False))
    assert times[-1] - times[0] == pytest.approx(3 * SECONDS, abs=0.3)


@pytest.mark.parametrize(("succeeded", "concurrent"), [(0, 1), (1, 1), (3, 1), (4, 2), (7, 3)])
def test_concurrent_requests_are_limited_to_half_of_the_successes(
    tmp_path: Path, succeeded: int, concurrent: int
) -> None:
    """So machines that start together cause few 429s; a request of a dead process stops counting after a time."""
    machine = Machine(tmp_path)
    processes = [Turns("key", 20, SECONDS, lambda: machine.now, machine.folder) for _ in range(3)]
    for _ in range(succeeded):
        machine.take(processes[0])
    for _ in range(concurrent):
        assert isinstance(processes[1].look(machine.waiter()), Turn)
    assert isinstance(processes[2].look(machine.waiter()), Wait)
    machine.now += FLIGHT_SECONDS
    assert isinstance(processes[2].look(machine.waiter()), Turn)


def test_refused_request_is_not_a_success(machine: Machine) -> None:
    """It does not raise the number of concurrent requests."""
    process = machine.process()
    succeeded = machine.take(process)
    refused = process.look(machine.waiter())
    assert isinstance(succeeded, Turn)
    assert isinstance(refused, Turn)
    process.answered(refused, None, served=False)
    assert isinstance(process.look(machine.waiter()), Wait)


def test_each_key_has_its_own_limit(machine: Machine) -> None:
    """Another key, or another server, has separate turns in the same file."""
    for key in ("one", "two"):
        process = machine.process(key)
        machine.use_up(process)
        assert isinstance(process.look(machine.waiter()), Wait)


def test_poll_has_lower_priority_but_does_not_starve(machine: Machine) -> None:
    """Writes that begin to wait within a poll's delay are sent first, later ones are not."""
    process = machine.process()
    machine.use_up(process)
    requests = {"poll": (machine.process(), machine.waiter(delay=10.0))}
    for number in range(20):
        requests[f"write {number}"] = (machine.process(), Waiter(machine.now + number))
    order = [name for _, name in machine.play(requests, 100)]
    assert 10 - REQUESTS < order.index("poll") < 10 + REQUESTS  # requests of one window have no fixed order


def test_dead_waiter_delays_others_by_seconds(machine: Machine) -> None:
    """A waiter that misses its announced check is skipped soon after."""
    process = machine.process()
    machine.use_up(process)
    for _ in range(REQUESTS):
        assert isinstance(machine.process().look(machine.waiter()), Wait)  # and never checks again
    ((at, _),) = machine.play({"request": (machine.process(), machine.waiter())}, 60)
    assert at - 1000.0 <= SECONDS + LATE_SECONDS


def test_cancelled_waiter_delays_nobody(machine: Machine) -> None:
    """A cancelled request leaves the queue."""
    first, second = machine.process(), machine.process()
    machine.use_up(first)
    cancelled = machine.waiter()
    assert isinstance(first.look(cancelled), Wait)
    first.leave(cancelled)
    ((at, _),) = machine.play({"request": (second, machine.waiter())}, 60)
    assert at == pytest.approx(1000.0 + SECONDS, abs=0.1)


# -- lists -----------------------------------------------------------------------------------------------------------


def test_list_is_shared_by_requests_that_waited_before(machine: Machine) -> None:
    """They use its response and send nothing; a request that begins later sends its own."""
    process, others = machine.process(), [(machine.process(), machine.waiter(LIST)) for _ in range(3)]
    machine.use_up(process)
    assert all(isinstance(each.look(waiter), Wait) for each, waiter in others)
    machine.now += SECONDS + 0.1
    (first, waiter), *rest = others
    turn = first.look(waiter)
    assert isinstance(turn, Turn)
    assert all(isinstance(each.look(waiter), Wait) for each, waiter in rest)
    late = (machine.process(), machine.waiter(LIST))
    first.answered(turn, "[]")
    for each, waiter in rest:
        assert each.look(waiter) == Turn(turn.number, turn.at, LIST, "[]")
    again = late[0].look(late[1])
    assert isinstance(again, Turn)
    assert again.answer is None


def test_poll_uses_a_recent_list(machine: Machine) -> None:
    """It does not use a list that is older than its limit, or from before a write of its own process."""
    first, second = machine.process(), machine.process()
    turn = machine.take(first, LIST)
    first.answered(turn, "[]")
    machine.now += 2.0
    recent = second.look(machine.waiter(LIST, max_age=2.5))
    assert isinstance(recent, Turn)
    assert recent.answer == "[]"
    for how in ({"max_age": 2.5, "written": second.last()}, {"max_age": 1.5}, {}):
        own_turn = second.look(machine.waiter(LIST, **how))
        assert isinstance(own_turn, Turn)
        assert own_turn.answer is None
        second.answered(own_turn, None)
        assert isinstance(machine.process().look(machine.waiter(LIST, spacing=1.0)), (Turn, Wait))
        machine.now += SECONDS


def test_lists_are_spaced(machine: Machine) -> None:
    """Lists have a minimum interval, so that requests that begin together share the second list."""
    first, second = machine.process(), machine.process()
    first.answered(machine.take(first, LIST), "[]")
    ((at, _),) = machine.play({"request": (second, machine.waiter(LIST, spacing=1.0))}, 5)
    assert at == pytest.approx(1001.0)


@pytest.mark.parametrize("dies", [True, False], ids=["dies", "fails"])
def test_unfinished_list_is_requested_by_another_process(machine: Machine, dies: bool) -> None:
    """It is requested at once after a failure, and after a time limit if its process died."""
    first, second = machine.process(), machine.process()
    waiting = machine.waiter(LIST)
    assert waiting.after is None
    machine.take(second)
    waiting.after = 1  # it begins to wait now
    turn = machine.take(first, LIST)
    assert isinstance(second.look(waiting), Wait)
    if not dies:
        first.answered(turn, None)
    ((at, _),) = machine.play({"request": (second, waiting)}, 30)
    assert at - 1000.0 <= (FLIGHT_SECONDS + 0.3 if dies else 0.0)


def test_response_to_another_list_is_not_used(machine: Machine) -> None:
    """Lists of two addresses, or two keys, are different lists."""
    first = machine.process()
    first.answered(machine.take(first, LIST), "[]")
    turn = machine.process().look(machine.waiter("other", max_age=2.5))
    assert isinstance(turn, Turn)
    assert turn.answer is None


def test_client_uses_the_response_of_another_process(tmp_path: Path) -> None:
    """It includes the server's time; a stored response that cannot be parsed is requested again."""
    dated = Response(200, {"status": 200, "result": [{"id": "a"}]}, headers={"Date": "Mon, 23 Nov 2026 21:00:00 GMT"})
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
            for _ in range(2):  # other responses may contain secrets and are not stored
                process().call(OPERATIONS["list_keys"])
            assert server.count == 5


# -- 429 -------------------------------------------------------------------------------------------------------------


def test_429_delays_all_processes(machine: Machine) -> None:
    """All processes wait as long as the server requires; a shorter time does not end a longer wait."""
    first, second = machine.process(), machine.process()
    machine.take(first)
    first.close(8.0)
    first.close(2.0)
    assert second.look(machine.waiter()) == Wait(8.0, closed=True, refused=True)
    machine.now += SECONDS + 0.1
    machine.take(second)


def test_machine_reduces_its_share_after_429_and_recovers(machine: Machine) -> None:
    """A 429 with turns left means that others use the key: the share shrinks, and grows by one turn a minute."""

    def in_a_window(seconds_later: float) -> int:
        machine.now = 1001.0 + seconds_later
        requests = {str(number): (machine.process(), machine.waiter()) for number in range(REQUESTS)}
        count = len(machine.play(requests, SECONDS - 0.5))
        for process, waiter in requests.values():
            process.leave(waiter)
        return count

    first = machine.process()
    machine.take(first)
    machine.take(first)
    first.close(2.0)
    assert in_a_window(2 * SECONDS) == 1
    assert in_a_window(RECOVERY_SECONDS + 1) == 2
    assert in_a_window(2 * RECOVERY_SECONDS + 1) == REQUESTS


def test_machine_refused_its_only_turn_takes_one_in_two_windows(machine: Machine) -> None:
    """This happens with more machines than turns."""
    first = machine.process()
    for _ in range(2):
        machine.take(first)
        first.close(2.0)
        machine.now += 2.1 + 2 * SECONDS
    machine.take(first)
    ((at, _),) = machine.play({"request": (first, machine.waiter())}, 60)
    assert at >= 1000.0 + 3 * SECONDS


def test_429_at_the_end_of_a_window_keeps_the_share(machine: Machine) -> None:
    """By the local clock the window had ended, and the wait is short: no other machine uses the key."""
    first = machine.process()
    machine.use_up(first)
    machine.now += SECONDS + 0.1
    machine.take(first)
    first.close(0.5)
    machine.now += SECONDS + 1
    machine.use_up(first)


def test_zero_remaining_requests_keep_the_share(machine: Machine) -> None:
    """The server only counts down; all processes wait, and the next window has all turns."""
    first = machine.process()
    machine.use_up(first)
    first.close(1.0, refused=False)
    machine.now += SECONDS + 1
    machine.use_up(first)


# -- the file --------------------------------------------------------------------------------------------------------


def test_only_the_owner_can_read_the_file(machine: Machine) -> None:
    """The umask does not matter, and no other file remains."""
    before = os.umask(0)
    try:
        machine.take(machine.process())
    finally:
        os.umask(before)
    assert [path.name for path in machine.folder.iterdir()] == [FILE]
    assert stat.S_IMODE(machine.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((machine.folder / FILE).stat().st_mode) == 0o600


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


@pytest.mark.parametrize("damage", [_garbage, _truncated, _holes, _other_tables, _folder, _odd_values])
def test_broken_file_is_ignored(machine: Machine, damage: Callable[[Path], None]) -> None:
    """It is created again, or the process continues without it; no request fails or waits."""
    machine.take(machine.process())
    damage(machine.folder / FILE)
    process = machine.process()
    for _ in range(REQUESTS - 1):
        process.answered(machine.take(process, LIST), None)
        machine.now += 0.1
    process.close(1.0)
    assert process.last() >= REQUESTS - 1


@pytest.mark.parametrize("damage", [_garbage, _holes])
def test_file_damaged_while_open_is_ignored(machine: Machine, damage: Callable[[Path], None]) -> None:
    """A process that had the file open continues, too."""
    process = machine.process()
    machine.take(process)
    damage(machine.folder / FILE)
    for _ in range(REQUESTS - 1):
        machine.take(process)
        machine.now += 0.1


def test_broken_file_that_cannot_be_removed_is_ignored(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows removes no file that another process has open; each process then keeps the limit alone."""
    machine.take(machine.process())
    _garbage(machine.folder / FILE)
    monkeypatch.setattr(Path, "unlink", Mock(side_effect=PermissionError))
    process = machine.process()
    machine.use_up(process)
    assert isinstance(process.look(machine.waiter()), Wait)


def test_unwritable_folder_is_ignored(tmp_path: Path) -> None:
    """Each process then keeps the limit alone."""
    (tmp_path / "file").write_text("")
    machine = Machine(tmp_path / "file" / "pending")
    process = machine.process()
    machine.use_up(process)
    assert isinstance(process.look(machine.waiter()), Wait)


def test_rows_from_before_a_reboot_are_ignored(machine: Machine) -> None:
    """The monotonic clock restarts with the machine: rows in the future are invalid."""
    process = machine.process()
    machine.use_up(process)
    process.look(machine.waiter())
    process.close(100.0)
    machine.now = 5.0
    machine.take(machine.process())


def test_process_stopped_in_a_transaction_delays_others_once(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They wait for some seconds, then continue without the file."""
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.1)
    machine.take(machine.process())
    stopped = sqlite3.connect(machine.folder / FILE, isolation_level=None)
    stopped.execute("BEGIN IMMEDIATE")
    process = machine.process()
    machine.use_up(process)
    stopped.close()
