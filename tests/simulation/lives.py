"""The lives of stacks: a seed determines a plan, the plan is run, and the invariants are checked at the end.

A life has two parts. In the first, runs are interrupted, requests are lost, and another user works in the console. In
the second there are no faults: each stack runs `up` once, and then state and server must match the program.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pulumi_clouddb.client.errors import ResourceError
from pulumi_clouddb.schema.config import ProviderConfig
from pulumi_clouddb.schema.vocabulary import VocabularyName

from . import assertions
from .console_user import ConsoleUser
from .engine import OverrideState, Run, Stack
from .faults import DEAD, NO_FAULTS, Conditions, Death, Fault, Network, Phase, Victim
from .process import Machine, Process
from .programs import ALONE, MARKED, PARTS, PLATFORM, Scene, program
from .scheduler import EndlessLifeError, Simulation, deterministic
from .server import Origin, Server

PAUSE_SECONDS = 600.0
"""Between the two parts: longer than every wait."""

EDITED_EVERY = 25
"""In one of this many lives, the program is edited between a death and the next run."""

OTHER_MACHINE_EVERY = 20
"""In one of this many lives, every run is on another machine with an empty disk."""

BETWEEN_MACHINES_SECONDS = 60.0
"""Pause of another machine after an interrupted run: longer than late requests of that run can take."""

LIMITED_EVERY = 10
"""In one of this many lives, the server enforces its published rate limit, and requests wait for turns."""

PLATFORM_OF_15 = (1, 3, 5, 7)
"""Of 15 lives, those with resources that only the vendor's servers have; no kept seed is among them."""

REVERTED_EVERY = 23
"""In one of this many lives, a change of what no response shows is interrupted, and the person takes it back."""

TERMINATED_EVERY = 8
"""One of this many lives begins with a run that is ended by a second Ctrl-C."""

NEVER_DROPPED = (
    *assertions.OVERRIDES,
    *("Dashboard", "StackRole", "ReversePrivateEndpoint", "PrivateEndpoint", "PostgresService"),
    "PipeSshKey",
    *("UserDefinedFunction", "UdfAttachment", "ByocInfrastructure", "StackInvitation"),
)
"""Resources that are never dropped from state: others depend on them, they create no object, or names are unique."""

REFUSALS = (Fault.REFUSE, Fault.REJECT, Fault.UPDATE_404)

MAX_ADVICE = 2
"""How often a user follows the advice of an error before the life counts as stuck."""


@dataclass
class Outcome:
    """The result of a life."""

    seed: int
    violations: list[str]
    log_lines: list[str] = field(default_factory=list)
    requests: int = 0
    seen: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Episode:
    """One run of a stack in the first part.

    Attributes:
        what: `up`, `change`, `refresh`, `destroy`, or `forget` for `pulumi state delete` of one resource.
        start: Seconds after the start of the previous episode.
        moves: Whether the stack moves to another machine first, if that is allowed.
    """

    stack: int
    what: str
    start: float
    deaths: tuple[Death, ...] = ()
    moves: bool = False


@dataclass(frozen=True)
class Plan:
    """A life, as determined by its seed.

    Attributes:
        reverted: Whether the person puts the first edition of the programs back before the last run.
    """

    dialect: VocabularyName
    conditions: Conditions
    parts: tuple[tuple[str, ...], ...]
    copies: int
    duplicates: bool
    episodes: tuple[Episode, ...]
    user_actions: tuple[float, ...]
    user_objects: int
    skew: float
    destroyed: tuple[bool, ...]
    keeps_disk: bool = True
    limited: bool = False
    reverted: bool = False


def plan_of(simulation: Simulation) -> Plan:
    """Draw a life with a few kinds of faults; these find more than all kinds at once."""
    seed = simulation.seed
    plan = replace(_any_plan(simulation), limited=seed % LIMITED_EVERY == LIMITED_EVERY - 4)
    if seed % REVERTED_EVERY == REVERTED_EVERY - 2:
        return _reverted(plan, seed)
    if seed % 15 in PLATFORM_OF_15:
        plan = _on_the_platform(plan, seed)
    if seed % EDITED_EVERY == EDITED_EVERY - 1:
        return _edited_after_a_death(plan, seed)
    if seed % OTHER_MACHINE_EVERY == OTHER_MACHINE_EVERY - 3:
        return _on_other_machines(plan, seed)
    return _terminated(plan, seed) if seed % TERMINATED_EVERY == TERMINATED_EVERY - 1 else plan


def _on_the_platform(plan: Plan, seed: int) -> Plan:
    """Draw programs with resources that only the vendor's servers have, sometimes together with others."""
    chance = random.Random(f"platform {seed}")  # noqa: S311
    mine = tuple(chance.sample(sorted(PLATFORM), chance.choice((1, 1, 2)))) + plan.parts[0][: chance.choice((0, 0, 1))]
    theirs = tuple(part for part in mine if part not in ALONE) or ("key",)
    plan = replace(plan, dialect=VocabularyName.CLICKHOUSE, parts=(mine, theirs)[: len(plan.parts)])
    if seed % 15 != PLATFORM_OF_15[-1]:
        return plan
    # Rare in random lives: a death in an update, which sends a pipe the changes of its tables.
    death = Death(chance.choice((1, 2, 3, 4)), chance.choice([Phase.SENT, Phase.RECEIVED]), chance.choice(DEAD))
    return replace(plan, episodes=(Episode(0, "up", 0.0), Episode(0, "change", 5.0, (death,))))


def _reverted(plan: Plan, seed: int) -> Plan:
    """Draw an interrupted change of a password or of code, which the program then takes back."""
    chance = random.Random(f"reverted {seed}")  # noqa: S311
    death = Death(chance.choice((1, 2, 3, 4, 5, 6, 8, 10)), chance.choice(list(Phase)), chance.choice(DEAD), True)
    kinds = chance.sample([Fault.LOSE, Fault.TIMEOUT, Fault.FAIL_AFTER, Fault.GARBAGE], 2)
    lost = Conditions(kinds, chance.choice((0.1, 0.3)))
    deaths = chance.choice(((), (death,)))
    return replace(
        plan,
        dialect=VocabularyName.CLICKHOUSE,
        conditions=NO_FAULTS if deaths else lost,
        parts=((chance.choice(("service", "function")),),),
        copies=1,
        episodes=(Episode(0, "up", 0.0), Episode(0, "change", 5.0, deaths)),
        destroyed=plan.destroyed[:1],
        reverted=True,
    )


def _edited_after_a_death(plan: Plan, seed: int) -> Plan:
    """Draw a rare case: a changed program adopts a service that an interrupted run created."""
    chance = random.Random(f"edited {seed}")  # noqa: S311
    death = Death(1, chance.choice([Phase.SENT, Phase.RECEIVED]), chance.choice(DEAD))
    return replace(
        plan,
        dialect=VocabularyName.CLICKHOUSE,
        conditions=Conditions(chance.sample(REFUSALS, 2), 0.5),
        parts=(("service",), *plan.parts[1:]),
        copies=1,
        episodes=(Episode(0, "up", 0.0, (death,)), Episode(0, "change", chance.choice((0.3, 5.0, 40.0)))),
    )


def _on_other_machines(plan: Plan, seed: int) -> Plan:
    """Draw a life on machines without a persistent disk: the next run finds objects by their mark.

    `pulumi state delete` is excluded: another machine cannot distinguish it from an interruption (docs/reliability.md).
    """
    chance = random.Random(f"machines {seed}")  # noqa: S311
    marked = tuple(tuple(chance.sample(sorted(MARKED), chance.choice((1, 2)))) for _ in plan.parts)
    death = Death(chance.choice((1, 1, 2, 3)), chance.choice(list(Phase)), chance.choice(list(Victim)))
    first = Episode(0, "up", 0.0, (death,))
    others = (replace(each, what="up") if each.what == "forget" else each for each in plan.episodes)
    return replace(plan, dialect=VocabularyName.CLICKHOUSE, parts=marked, episodes=(first, *others), keeps_disk=False)


def _terminated(plan: Plan, seed: int) -> Plan:
    """Draw a second Ctrl-C in the first run, during several creates."""
    chance = random.Random(f"terminated {seed}")  # noqa: S311
    phase = chance.choice([Phase.SENT, Phase.RECEIVED, Phase.RETURNED])
    twice = Death(chance.choice((1, 2, 3, 4)), phase, Victim.STATE)
    return replace(plan, copies=chance.choice((2, 3)), episodes=(Episode(0, "up", 0.0, (twice,)), *plan.episodes[1:]))


def _any_plan(simulation: Simulation) -> Plan:
    chance = simulation.random
    dialect = chance.choice(list(VocabularyName))
    stacks = 1 if chance.random() < 0.6 else 2
    mine = tuple(chance.sample(sorted(PARTS), chance.choice((1, 1, 2))))
    theirs = tuple(part for part in mine if part not in ALONE) or ("key",)
    # A 404 for a list is dangerous for deletions, which are rare.
    kinds = (
        (Fault.LIST_404,) if chance.random() < 0.1 else tuple(chance.sample(list(Fault), chance.choice((0, 1, 2, 4))))
    )
    conditions = Conditions(kinds, chance.choice((0.1, 0.25, 0.5)), chance.choice((0.0, 0.0, 3.0, 6.0)))
    count = chance.choice((1, 2, 2, 3)) * stacks
    return Plan(
        dialect=dialect,
        conditions=conditions,
        parts=(mine, theirs)[:stacks],
        copies=chance.choice((1, 1, 2, 3)),
        duplicates=stacks > 1 or chance.random() < 0.5,
        episodes=tuple(_episode(simulation, number % stacks) for number in range(count)),
        user_actions=tuple(chance.uniform(0.0, 20.0) for _ in range(chance.choice((0, 0, 1, 2)))),
        user_objects=chance.choice((0, 0, 1)),
        skew=chance.choice((0.0, 0.0, 40.0, -40.0)),
        destroyed=tuple(chance.random() < 0.4 for _ in range(stacks)),
    )


def _episode(simulation: Simulation, stack: int) -> Episode:
    chance = simulation.random
    deaths: tuple[Death, ...] = ()
    if chance.random() < 0.35:
        phase = chance.choice(list(Phase))
        deaths = (Death(chance.choice((1, 1, 2, 3)), phase, chance.choice(DEAD), chance.random() < 0.8),)
    what = chance.choices(("up", "change", "refresh", "destroy", "forget"), (62, 12, 6, 14, 6))[0]
    return Episode(stack, what, chance.choice((0.0, 0.3, 5.0, 40.0)), deaths, chance.random() < 0.1)


@lru_cache(maxsize=len(VocabularyName))
def _server(dialect: VocabularyName) -> Server:
    return Server(dialect)


def play(seed: int, *, verbose: bool = False, plan: Callable[[Simulation], Plan] = plan_of) -> Outcome:
    """Run the life of a seed and check it."""
    with TemporaryDirectory(prefix="life-") as folder, deterministic(seed):
        simulation = Simulation(seed, verbose=verbose)
        life = Life(simulation, plan(simulation), Path(folder))
        try:
            life.play()
        except EndlessLifeError as error:
            life.violations.append(f"endless: {error}")
        finally:
            life.end()
    return Outcome(seed, life.violations, simulation.log_lines or [], life.network.sent, life.seen)


class Life:
    """One life.

    Args:
        folder: A real folder for the turns of its machines; needed if requests are limited.
    """

    network_type: type[Network] = Network
    run_type: type[Run] = Run

    def __init__(self, simulation: Simulation, plan: Plan, folder: Path | None = None) -> None:
        self.simulation = simulation
        self.plan = plan
        self.violations: list[str] = []
        self.seen: Counter[str] = Counter()
        self.server = _server(plan.dialect)
        self.server.reset(simulation, limited=plan.limited)
        self.server.is_owned = self._is_owned
        self.network = self.network_type(simulation, self.server, NO_FAULTS)
        self.user = ConsoleUser(simulation, self.server)
        self._config = ProviderConfig.model_validate(self.server.config)
        self._folder = folder
        self._machines: list[Machine] = []
        self._machine("laptop", plan.skew)
        self._machine("runner")
        apart = plan.dialect is VocabularyName.CLICKHOUSE and {*plan.parts[-1]} <= MARKED
        places = (self._machines[0], self._machines[1 if apart else 0])
        names = ("dev", "prod")[: len(plan.parts)]
        self._stacks = [Stack(name, place) for name, place in zip(names, places, strict=False)]
        self._scenes = [Scene() for _ in self._stacks]
        for scene in self._scenes:
            scene.settings = plan.dialect is VocabularyName.CLICKHOUSE
        self._processes: list[Process] = []
        self._runs: list[Run] = []
        self._partly_destroyed: set[str] = set()
        self._moved: set[str] = set()
        self._dropped_from: set[str] = set()

    def play(self) -> None:
        """Run both parts and check the result."""
        self.simulation.log(f"plan: {self.plan}")
        self._prepare()
        self._run_with_faults()
        self._stop_faults()
        self._recover()
        self.violations += self.server.ledger.violations
        errors = [error for run in self._runs for error in run.errors]
        self.violations += assertions.messages(self.server, self._processes, errors, self._stacks, self._machines)

    def end(self) -> None:
        """End all processes and actors."""
        for process in self._processes:
            process.alive = False
        self.simulation.end()

    # -- the part with faults -------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        parts = {part for each in self.plan.parts for part in each}
        first = self._scenes[0]
        self.user.prepare(first, parts)
        for scene in self._scenes:
            scene.service_id, scene.pipe_id, scene.key_id = first.service_id, first.pipe_id, first.key_id
            scene.user_id, scene.organization_id = first.user_id, first.organization_id
            scene.copies, scene.duplicates = self.plan.copies, self.plan.duplicates
        harmless = parts if self.plan.duplicates else parts - {"service"}
        for _ in range(self.plan.user_objects if harmless else 0):
            self.user.act(first, harmless)
        self.simulation.advance(60.0)

    def _run_with_faults(self) -> None:
        plan, simulation = self.plan, self.simulation
        parts = {part for each in plan.parts for part in each}
        self.network.conditions = plan.conditions
        for moment in plan.user_actions:
            simulation.later(moment, lambda: self.user.act(self._scenes[0], parts))
        last: dict[int, Run] = {}
        for episode in plan.episodes:
            simulation.advance(episode.start)
            before = last.get(episode.stack)
            if before is not None:
                simulation.run(_is_over(before))  # Pulumi locks the stack
                if not plan.keeps_disk:
                    simulation.advance(BETWEEN_MACHINES_SECONDS)
            run = self._play(episode)
            if run is not None:
                last[episode.stack] = run
        simulation.run(lambda: all(run.over for run in self._runs))

    def _play(self, episode: Episode) -> Run | None:
        stack, scene = self._stacks[episode.stack], self._scenes[episode.stack]
        self.seen[episode.what] += 1
        self.seen["on another machine"] += not self.plan.keeps_disk
        self.seen["within a limit"] += self.plan.limited
        for death in episode.deaths:
            self.seen[f"death of {death.victim.value} {death.phase.value}"] += 1
        if episode.moves and self._may_move(stack):
            stack.machine = next(machine for machine in self._machines if machine is not stack.machine)
            self._moved.add(stack.name)
        if episode.what == "forget":
            self._drop_from_state(stack)
            return None
        run = self._run(stack, episode.deaths)
        if episode.what == "refresh":
            return run.refresh()
        if episode.what == "destroy":
            self._partly_destroyed.add(stack.name)
            return run.destroy()
        if episode.what == "change":
            scene.edition = 1
        return run.up(program(scene, self.plan.parts[episode.stack]))

    def _may_move(self, stack: Stack) -> bool:
        """Return whether a stack may continue on another machine.

        For objects without a mark, only the machine of an interrupted run knows its creates, and which objects
        `pulumi state delete` dropped on purpose. And if two machines create equal objects without a mark concurrently,
        these cannot be told apart.
        """
        return len(self._stacks) == 1 and not self._interrupted(stack) and stack.name not in self._dropped_from

    def _interrupted(self, stack: Stack) -> bool:
        return any(run.errors for run in self._runs if run.stack is stack)

    def _drop_from_state(self, stack: Stack) -> None:
        """Run `pulumi state delete` for a resource without dependents. Its object then belongs to the user."""
        names = [name for name, entry in stack.entries.items() if entry.kind not in NEVER_DROPPED]
        if not names or self._interrupted(stack) or stack.name in self._moved:
            return
        self._dropped_from.add(stack.name)
        entry = stack.entries.pop(self.simulation.random.choice(names))
        self.simulation.log(f"--- pulumi state delete in {stack.name}: {entry.kind} {entry.id}")
        id_ = assertions.object_of(entry)
        self.server.drop_override(entry.id)
        if id_ is not None and self.server.record(assertions.KINDS[entry.kind], id_) is not None:
            self.user.take(assertions.KINDS[entry.kind], id_)

    def _run(self, stack: Stack, deaths: tuple[Death, ...] = ()) -> Run:
        if not self.plan.keeps_disk:
            stack.machine = self._machine(f"runner-{len(self._machines)}")
        process = Process(self.simulation, self.network, stack.machine, self._config, deaths)
        self._processes.append(process)
        run = self.run_type(self.simulation, stack, process, self._record_override)
        self._runs.append(run)
        return run

    def _machine(self, name: str, skew: float = 0.0) -> Machine:
        machine = Machine(name, skew, turns=self._folder / name if self._folder and self.plan.limited else None)
        self._machines.append(machine)
        return machine

    def _record_override(self, id_: str, now: OverrideState) -> None:
        if now is OverrideState.BEGINS:
            self.server.begin_override(id_)
        else:
            self.server.record_in_state(id_, now is OverrideState.HELD)

    # -- the part without faults ----------------------------------------------------------------------------------

    def _stop_faults(self) -> None:
        """End all faults, and run until every process has ended."""
        self.network.conditions = NO_FAULTS
        self.simulation.run()
        self.simulation.now += PAUSE_SECONDS
        self.simulation.log("=== no faults ===")

    def _recover(self) -> None:
        """Run `up` for every stack, check the results, and destroy the stacks that the plan selects."""
        if self.plan.reverted:
            self._revert()
        for number in range(len(self._stacks)):
            self._bring_up(number)
            if assertions.is_unvalidated(self._stacks[number]):
                self._bring_up(number)
        self._check("after the last up")
        self._check_previews()
        for number, destroyed in enumerate(self.plan.destroyed):
            if destroyed:
                self._destroy(number)

    def _revert(self) -> None:
        """Put the first edition back, and refresh, which shows what has arrived except for passwords and code.

        Code in doubt is sent again also if it had not arrived, so that two versions may have the same.
        """
        for stack, scene in zip(self._stacks, self._scenes, strict=True):
            scene.edition = 0
            self._finish(self._run(stack).refresh())
        for id_ in self.server.existing("user_defined_functions"):
            self.server.ledger.lost_versions[id_] += 1

    def _finish(self, run: Run) -> Run:
        self.simulation.run()
        if not run.over:
            self.violations.append(f"stuck: a run of {run.stack.name} does not end")
        return run

    def _bring_up(self, number: int) -> None:
        """Run `up` without faults. The user can follow the advice of an error."""
        stack, scene = self._stacks[number], self._scenes[number]
        if stack.name in self._partly_destroyed:
            self._finish(self._run(stack).refresh())  # state can contain deleted objects, as with any provider
        for _ in range(MAX_ADVICE + 1):
            run = self._finish(self._run(stack).up(program(scene, self.plan.parts[number])))
            if not run.errors:
                return
            if not all(self._follow_advice(scene, stack, error) for _, error in run.errors):
                self.violations += [f"refused: {stack.name}/{name}: {error}" for name, error in run.errors]
                return
        self.violations.append(f"refused: {stack.name} stays stuck although the advice was followed")

    def _follow_advice(self, scene: Scene, stack: Stack, error: Exception) -> bool:
        """Follow the advice of an error, and return whether the error was justified.

        It is justified if it names another user's object of the same name, or objects of a kind without a mark. That
        an object of the stack itself has the name is never a reason: the create must find it.
        """
        text = str(error)
        named = [id_ for id_ in self.server.ledger.origins if id_ in text]
        if not isinstance(error, ResourceError) or not named:
            return False
        self.seen["refusal"] += 1
        self.simulation.log(f"the user reads: {text}")
        if "If state no longer has it" in text:  # maybe several resources of one run
            scene.replaces = scene.replaces or stack.name in self._dropped_from
            return scene.replaces
        foreign = [id_ for id_ in named if id_ in self.user.owned]
        if not foreign and ("exists already" in text or all(self._is_marked(id_) for id_ in named)):
            return False
        lost = [id_ for id_ in named if id_ not in foreign and not self._is_held(id_)]
        for id_ in lost:
            self._delete_by_hand(id_)
        if foreign and "allowDuplicateName" in text:
            scene.duplicates = True
            return True
        files = [path for path in stack.machine.disk if path in text]
        if not lost:  # none of them belongs to the stack
            for path in files:
                del stack.machine.disk[path]
        return bool(lost or files)

    def _is_marked(self, id_: str) -> bool:
        kind = self.server.ledger.origins[id_].kind
        return self.plan.dialect is VocabularyName.CLICKHOUSE and kind in ("services", "keys")

    def _is_owned(self, origin: Origin, id_: str) -> bool:
        return assertions.is_owned(origin, id_, self._stacks) and self._is_held(id_)

    def _is_held(self, id_: str) -> bool:
        return any(assertions.object_of(entry) == id_ for stack in self._stacks for entry in stack.entries.values())

    def _delete_by_hand(self, id_: str) -> None:
        kind = self.server.ledger.origins[id_].kind
        self.simulation.log(f"the user deletes {kind} {id_}")
        self.server.sandbox.state.store.delete_with_children(kind, id_)

    def _check(self, when: str) -> None:
        found = assertions.objects(self.server, self._stacks, self.user)
        found += assertions.secrets(self.server, self._stacks)
        found += assertions.settings(self.server, self._stacks)
        found += assertions.tables(self.server)
        found += assertions.versions(self.server, self._stacks)
        found += self.user.violations()
        self.violations += [f"{each} ({when})" for each in found]

    def _check_previews(self) -> None:
        """Check that a preview is empty, before and after a refresh."""
        if self.violations:
            return  # they would show in the previews as well
        for number, stack in enumerate(self._stacks):
            wanted = program(self._scenes[number], self.plan.parts[number])
            preview = self._finish(self._run(stack).up(wanted, preview=True))
            self._check_changes("preview", preview)
            self._check_changes("refresh", self._finish(self._run(stack).refresh()))
            again = self._finish(self._run(stack).up(wanted, preview=True))
            self._check_changes("preview after refresh", again)

    def _check_changes(self, what: str, run: Run) -> None:
        drifted = self._drifted(run.stack)
        self.violations += [
            f"{what}: {run.stack.name}: {change}" for change in run.changed if not change.startswith(drifted)
        ]
        self.violations += [f"{what}: {run.stack.name}/{name}: {error}" for name, error in run.errors]

    def _drifted(self, stack: Stack) -> tuple[str, ...]:
        """Return the prefixes of changes that a user caused by changing overridden properties."""
        wanted = program(self._scenes[self._stacks.index(stack)], self.plan.parts[self._stacks.index(stack)])
        overrides = self.server.ledger.overrides
        return tuple(f"update {each.name}:" for each in wanted if each.overrides and overrides[each.overrides].by_user)

    def _destroy(self, number: int) -> None:
        stack = self._stacks[number]
        run = self._finish(self._run(stack).destroy())
        self.violations += [f"destroy: {stack.name}/{name}: {error}" for name, error in run.errors]
        self.simulation.advance(60.0)
        self._check("after destroy")
        if number == 0:
            self.violations += assertions.not_restored(self.server)


def _is_over(run: Run) -> Callable[[], bool]:
    return lambda: run.over
