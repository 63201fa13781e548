"""Programs of what exists: read from the servers, written in a language, with the file that imports it all."""
