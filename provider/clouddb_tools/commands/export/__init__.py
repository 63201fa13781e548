"""`clouddb export`: write a program that declares existing objects, and the file that imports them."""
