"""Tests of pipes; a package, as the standard library has a module of this name."""
