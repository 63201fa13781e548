"""A server on loopback that implements the API of S3, with one bucket."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from moto.server import ThreadedMotoServer
from upath import UPath

NAME = "team"


@dataclass(frozen=True)
class Bucket:
    """A bucket, and the environment variables that address it.

    Attributes:
        address: The server's address.
        env: The variables that S3 libraries and Pulumi's backend read.
    """

    address: str
    env: Mapping[str, str]

    def at(self, path: str) -> str:
        """Return the URL of a folder in it."""
        return f"s3://{NAME}/{path}"

    def texts(self, path: str = "") -> list[str]:
        """Return the texts of all objects in a folder."""
        login = {"key": self.env["AWS_ACCESS_KEY_ID"], "secret": self.env["AWS_SECRET_ACCESS_KEY"]}
        folder = UPath(self.at(path), endpoint_url=self.address, use_listings_cache=False, **login)
        return [each.read_text() for each in folder.rglob("*") if each.is_file()]


@contextmanager
def bucket() -> Iterator[Bucket]:
    """Run the server."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        address = f"http://{host}:{port}"
        httpx.post(f"{address}/moto-api/reset").raise_for_status()  # all servers of a process have the same objects
        httpx.put(f"{address}/{NAME}").raise_for_status()
        env = {
            "AWS_ENDPOINT_URL": address,
            "AWS_ACCESS_KEY_ID": "anybody",
            "AWS_SECRET_ACCESS_KEY": "anything",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        yield Bucket(address, env)
    finally:
        server.stop()
