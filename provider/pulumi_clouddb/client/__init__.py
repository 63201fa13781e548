"""How to talk to the servers: operations as data, one request funnel, typed errors, pacing, shared list reads.

Nothing here knows Pulumi or state.
"""
