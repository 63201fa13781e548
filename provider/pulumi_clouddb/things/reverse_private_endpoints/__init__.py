"""Reverse private endpoints, through which pipes of a service reach sources in a private network."""
