"""Stands in for pip, which the CLI asks twice before each command, and which takes 0.8 s of processor time."""

import sys

print("pip 25.0 (no more than this)" if "--version" in sys.argv else "[]")
