"""`clouddb find`: where an object lives, and which stack manages it."""
