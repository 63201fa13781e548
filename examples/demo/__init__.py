"""`make demo`: a real program through its whole life, against a server on this machine.

`__main__` tells the story, `stage` shows it and counts what the server was asked, `engine` finds what runs the program.
It is a test as well: if anything is not as told, it says so and ends with exit status 1.
"""
