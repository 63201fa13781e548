"""Runs `clouddb` as `python -m pulumi_clouddb.commands`, for when its console script is not on PATH."""

from .main import main

main()
