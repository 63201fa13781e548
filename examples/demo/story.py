"""The steps of the demo, and the checks after each step."""

from __future__ import annotations

import json
from typing import Any

from clouddb_tools.sandbox import Sandbox
from clouddb_tools.testing import Secret, Stack

from .stage import Stage

ALL = 6
"""Resources of the quickstart."""


class Story:
    """The steps, in order."""

    def __init__(self, stage: Stage, stack: Stack, sandbox: Sandbox) -> None:
        self.stage = stage
        self.stack = stack
        self.sandbox = sandbox
        self.state_text = ""
        self.service_id = self.pipe_id = ""
        self.secrets = [sandbox.key_secret, sandbox.stack_token]

    def run(self) -> None:
        """Run all steps."""
        self.first_preview()
        self.up()
        self.second_preview()
        self.drift()
        self.update()
        self.bad_input()
        self.destroy()

    def first_preview(self) -> None:
        """Preview an empty stack."""
        with self.stage.step("pulumi preview", "What would happen? The program is examples/quickstart."):
            result = self.stage.run("previewing", self.stack.preview)
            self.stage.expect(result.changes.get("create") == ALL + 1, "the preview creates six resources")
            self.stage.expect(self.stage.calls() == (1, 0), "a first preview asks once whether the name is taken")

    def up(self) -> None:
        """Create all resources; secret outputs stay hidden."""
        with self.stage.step("pulumi up", "The service takes two seconds to start; the others wait for it."):
            result = self.stage.run("creating", self.stack.up)
            self.stage.outputs(result.outputs)
            states = [service["state"] for service in self.sandbox.services.values()]
            self.stage.expect(states == ["running"], "the server holds one service, and it runs")
            self.stage.expect(len(self.sandbox.alerts) == 1, "the server holds one alert")
            self._look_at_state()

    def second_preview(self) -> None:
        """Preview an unchanged stack: one request for each name that the program looks up."""
        why = "Nothing has changed. The program finds a pipe and a data source by name: one request each."
        with self.stage.step("pulumi preview, again", why):
            result = self.stage.run("previewing", self.stack.preview)
            self.stage.say(f"   {result.changes.get('same', 0) - 1} unchanged")
            self.stage.expect(result.no_changes, "a second preview has nothing to do")
            self.stage.expect(self.stage.calls() == (2, 0), "a second preview only looks up two names")

    def drift(self) -> None:
        """Change objects on the server; refresh detects it and up repairs it."""
        before = self.sandbox.services[self.service_id]["ipAccessList"]
        with self.stage.step("Behind its back", "Somebody opens the service to everybody and scales the pipe down."):
            self.sandbox.change("services", self.service_id, ipAccessList=[{"source": "0.0.0.0/0", "description": ""}])
            scaling = {**self.sandbox.pipes[self.pipe_id]["scaling"], "replicas": 1}
            self.sandbox.change("pipes", self.pipe_id, scaling=scaling)
            self.stage.say("   pulumi refresh")
            found = self.stage.run("refreshing", self.stack.refresh)
            names = {step.name for step in found.steps if step.op == "update"}
            self.stage.expect(names == {"shop", "events"}, "refresh finds both changes and no other")
            self.stage.say("   pulumi up")
            self.stage.run("repairing", self.stack.up)
            after = self.sandbox.services[self.service_id]["ipAccessList"]
            self.stage.expect(_sources(after) == _sources(before), "the IP access list is as the program says")
            self.stage.expect(self.sandbox.pipes[self.pipe_id]["scaling"]["replicas"] == 4, "the pipe is scaled again")

    def update(self) -> None:
        """Change a property with exactly one request."""
        with self.stage.step("An update in place", "More memory: pulumi config set maxMemoryGb 96"):
            self.stack.set_config("maxMemoryGb", "96")
            self.stage.run("updating", self.stack.up)
            for entry in (each for each in self.sandbox.requests if each.method != "GET"):
                path = entry.path.replace(self.sandbox.organization_id, "...").replace(self.service_id, "...")
                self.stage.say(f"   {entry.method} {path} {json.dumps(entry.body)}")
            self.stage.expect(self.stage.calls()[1] == 1, "the update is one request")
            now = self.sandbox.services.get(self.service_id, {})
            self.stage.expect(now.get("maxReplicaMemoryGb") == 96, "the same service has more memory")

    def bad_input(self) -> None:
        """Report all invalid inputs at once, before a request is sent."""
        bad = {"maxMemoryGb": "8", "replicas": "0", "officeNetwork": "203.0.113.300/24"}
        why = "pulumi config set " + ", ".join(f"{name} {value}" for name, value in bad.items())
        with self.stage.step("Bad input", why):
            for name, value in bad.items():
                self.stack.set_config(name, value)
            result = self.stage.run("previewing", lambda: self.stack.preview(expect_failure=True))
            for message in result.errors:
                self.stage.say(f"   x {message.rpartition('has a problem: ')[2]}", "red")
            self.stage.expect(not result.ok and len(result.errors) == len(bad), "a preview refuses all three at once")
            self.stage.expect(self.stage.calls()[1] == 0, "bad input never reaches the server")

    def destroy(self) -> None:
        """Delete all resources; the override is restored first."""
        with self.stage.step("pulumi destroy", "The pipe gets its old scaling back; the service stops and is deleted."):
            self.stage.run("deleting", self.stack.destroy)
            restored = [entry.body for entry in self.sandbox.requests if entry.operation == "scale_pipe"]
            for body in restored:
                self.stage.say(f"   the pipe was put back: {json.dumps(body)}")
            self.stage.expect(
                bool(restored) and restored[-1].get("replicas") == 1, "the pipe is scaled as it was found"
            )
            # A service that is terminating is deleted; servers list it for a while.
            services = [each for each in self.sandbox.services.values() if each["state"] != "terminating"]
            left = [*services, *self.sandbox.dashboards, *self.sandbox.alerts]
            self.stage.expect(not left and len(self.sandbox.keys) == 1, "nothing is left but the sandbox's own key")

    def check_secrets(self, shown: str) -> None:
        """Search the printed text and the state on disk for the secrets."""
        self.stage.expect(len(self.secrets) == 4, "the stack has two secret outputs")
        self.stage.expect(bool(self.state_text), "the state is on disk")
        for where, text in (("shown", shown), ("in plain text in state", self.state_text)):
            self.stage.expect(not any(secret in text for secret in self.secrets), f"no secret is {where}")

    def _look_at_state(self) -> None:
        """Record the ids that later steps use, and the secrets."""
        made = {each.name: each for each in self.stack.resources}
        outputs = next(each.outputs for each in made.values() if each.type == "pulumi:pulumi:Stack")
        self.stage.managed = {name: each.inputs for name, each in made.items()}
        self.service_id = made["shop"].id
        self.pipe_id = made["events"].inputs["pipeId"]
        self.secrets += [value.value for value in outputs.values() if isinstance(value, Secret)]
        self.state_text = self.stack.state_text
        password = outputs["password"]
        works = isinstance(password, Secret) and self.sandbox.password_works(self.service_id, password.value)
        self.stage.expect(works, "the password in state is the service's, and secret")


def _sources(entries: list[dict[str, Any]]) -> set[str]:
    return {entry["source"].removesuffix("/32") for entry in entries}
