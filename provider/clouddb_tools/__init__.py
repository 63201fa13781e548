"""Tools around the provider: commands, pictures of dashboards, a sandbox, tests of programs.

`clouddb_tools.sandbox` and `clouddb_tools.testing` are public; everything else can change with any version.
"""
