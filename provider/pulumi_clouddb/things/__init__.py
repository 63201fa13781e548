"""The objects that users name, a folder for each. They refer to each other by id."""
