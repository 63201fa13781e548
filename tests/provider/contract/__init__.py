"""A table of cases for both front ends: they return the same responses and send the same requests."""
