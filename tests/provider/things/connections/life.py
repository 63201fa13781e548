"""Lives of connections."""

from __future__ import annotations

from lives.life import Life

LIVES = {
    "connection": Life(
        "Connection",
        before={
            "name": "Shop",
            "host": "https://shop.example.com:8443",
            "username": "reader",
            "password": "of the reader",
            "hyperdxSettingPrefix": "team_",
        },
        after={
            "name": "Shop and more",
            "host": "https://more.example.com:8443",
            "username": "other",
            "password": "of the other",
            "isPrometheusEndpoint": True,
        },
        drift={"name": "Mine now", "username": "me"},
    )
}
