"""`make demo`: run a real program from preview to destroy, against a local server.

`__main__` runs the demo, `story` has its steps, `stage` prints them and counts the requests, `engine` finds an engine.
The demo is also a test: if a check fails, it prints the check and ends with exit status 1.
"""
