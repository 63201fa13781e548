"""Messages use the program's property names: snake_case in dynamic mode, and the wire's names in plugin mode."""

from __future__ import annotations

from typing import Any

import pytest

from pulumi_clouddb.client.errors import ApiError
from pulumi_clouddb.engine.dynamic.messages import UserError, user_errors
from pulumi_clouddb.registry import OPERATIONS
from pulumi_clouddb.schema.public_names import in_python
from support.front_ends import FrontEnds

MESSAGES = {
    "a path": ("ipAccessList[2].source must be an IP address", "ip_access_list[2].source must be an IP address"),
    "a nested path": ("tiles[0].config.displayType is required", "tiles[0].config.display_type is required"),
    "advice": ("set `allowReplacement` to true", "set `allow_replacement` to true"),
    "a function": ("the output id of getSource", "the output id of get_source"),
    "a quoted value": ("name must not be 'minReplicas' or \"maxReplicas\"", None),
    "a quote within a value": (
        "maxReplicas must be a number, not 'it\\'s'",
        "max_replicas must be a number, not 'it\\'s'",
    ),
    "a setting": ("clouddb:keyId and clouddb:keySecret are not set", None),
    "an environment variable": ("or in the environment as CLOUDDB_KEY_ID", None),
    "a word that is a Python keyword": ("take it from the console", None),
    "an unknown word": ("camelCase is not supported here", None),
}


@pytest.mark.parametrize(("wire", "python"), MESSAGES.values(), ids=MESSAGES)
def test_message_is_translated_to_python_names(wire: str, python: str | None) -> None:
    """Only names of properties and functions are translated."""
    assert in_python(wire) == (wire if python is None else python)


def test_advice_of_an_api_error_has_python_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line quotes the server and stays unchanged; only the advice is translated."""
    monkeypatch.setattr("sys.tracebacklimit", 0, raising=False)  # `user_errors` sets it for a process

    class RefusedError(ApiError):
        hint = "Set `minReplicaMemoryGb` lower, then run again."

    @user_errors
    def fails() -> None:
        raise RefusedError(OPERATIONS["create_service"], "http://127.0.0.1/", "minReplicaMemoryGb is bad", status=400)

    with pytest.raises(UserError) as caught:
        fails()
    first, second = str(caught.value).splitlines()
    assert first.endswith("400 minReplicaMemoryGb is bad")
    assert second == "Set `min_replica_memory_gb` lower, then run again."


FAILURES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "a limit": ("Service", {"name": "s", "numReplicas": 0}, "num_replicas must be", "numReplicas must be"),
    "a rule that names another property": (
        "Service",
        {"name": "s", "minReplicas": 5, "maxReplicas": 2},
        "max_replicas",
        "maxReplicas",
    ),
    "a property that does not exist": (
        "Dashboard",
        {"name": "d", "tiles": [{"nmae": "t", "key": "t"}]},
        "tiles[0].nmae is not supported here; did you mean name?",
        "tiles[0].nmae is not supported here; did you mean name?",
    ),
    "an unknown top-level property": (
        "Service",
        {"name": "s", "minReplica": 5},
        "minReplica is not supported here; did you mean min_replicas?",
        "minReplica is not supported here; did you mean minReplicas?",
    ),
}


@pytest.mark.parametrize(("resource", "inputs", "python", "wire"), FAILURES.values(), ids=FAILURES)
def test_check_failures_have_the_front_ends_names(
    front_ends: FrontEnds, resource: str, inputs: dict[str, Any], python: str, wire: str
) -> None:
    """The dynamic host serves Python programs only; the plugin serves all languages."""
    dynamic = " ".join(front_ends.dynamic.check(resource, inputs).failures)
    native = " ".join(front_ends.native.check(resource, inputs).failures)
    assert python in dynamic
    assert wire in native


def test_error_of_diff_has_the_front_ends_names(front_ends: FrontEnds) -> None:
    """Later errors than those of check are translated in the same way."""
    old = {"name": "s", "provider": "aws", "region": "us-east-1", "id": "x"}
    new = {"name": "s", "provider": "aws", "region": "eu-west-1"}
    for driver, name in ((front_ends.dynamic, "allow_replacement"), (front_ends.native, "allowReplacement")):
        with pytest.raises(Exception, match=name):
            driver.diff("Service", "x", old, new, old)
