"""`python -m pulumi_clouddb.cli`: the command where its console script is not on PATH."""

from . import main

main()
