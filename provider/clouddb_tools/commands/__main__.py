"""Runs `clouddb` as `python -m clouddb_tools.commands`, for when its console script is not on PATH."""

from .main import main

main()
