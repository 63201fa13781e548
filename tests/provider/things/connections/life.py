"""Lives of connections."""

from __future__ import annotations

from lives.life import Life
from lives.wire import WireLife

HOSTED = Life(
    name="Connection",
    kind="connections",
    before="name='Shop', host='https://shop.example.com:8443', username='reader', password='one'",
    after="""name='Shop and more', host='https://more.example.com:8443', username='other', password='two',
        hyperdx_setting_prefix='team_', is_prometheus_endpoint=True""",
    updated=frozenset({"name", "host", "username", "password", "hyperdxSettingPrefix", "isPrometheusEndpoint"}),
    drift=lambda sandbox, id_: sandbox.change("connections", id_, name="Mine now", username="me"),
    drifted=frozenset({"name", "username"}),
    as_wanted=lambda connection: (
        (connection["name"], connection["username"], connection["password"]) == ("Shop and more", "other", "two")
        and (connection["hyperdxSettingPrefix"], connection["isPrometheusEndpoint"]) == ("team_", True)
    ),
)
LIVES = {"connection": HOSTED}

WIRE_LIVES = [
    WireLife(
        "connection",
        HOSTED,
        operations=("create_connection", "update_connection", "delete_connection", "list_connections"),
        before={
            "name": "Shop",
            "host": "https://shop.example.com:8443",
            "username": "reader",
            "password": "of the reader",
            "hyperdxSettingPrefix": "team_",
        },
        after={
            "name": "Shop",
            "host": "https://more.example.com:8443",
            "username": "reader",
            "password": "of the reader",
            "isPrometheusEndpoint": True,
        },
        details={"host": "UPDATE", "hyperdxSettingPrefix": "DELETE", "isPrometheusEndpoint": "ADD"},
        left_alone=frozenset({"name", "username", "createdAt"}),
        extra=frozenset({"password"}),
    )
]

OF_NO_INPUT = frozenset({"id", "createdAt", "updatedAt"})
"""Outputs that tell nothing of an input."""
