"""Interruptions of the real CLI in every way and at every stage; one more command must then reach the correct state."""
