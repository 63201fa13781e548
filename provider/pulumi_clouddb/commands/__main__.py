"""`python -m pulumi_clouddb.commands`: the command where its console script is not on PATH."""

from .main import main

main()
