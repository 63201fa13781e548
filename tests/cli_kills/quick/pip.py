"""A fake pip: the CLI runs pip twice before each command, which takes 0.8 s of processor time."""

import sys

print("pip 25.0 (no more than this)" if "--version" in sys.argv else "[]")
