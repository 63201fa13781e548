"""The state that a release leaves: made once with the release, read by every later version."""
