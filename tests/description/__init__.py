"""The vendor's published description of its API in this project's words, for the operations that this package uses.

Sources: the cloud's description of 2026-07-31, and that of the self-hosted server 2.36.0 (2026-08-21). `described.py`
in the folder of each thing has a type for each body, with a line for each property: name, type, limits, and whether it
is required. A type has a docstring only if its name does not explain it. `Create`, `Update`, `New...` and `...Change`
are request bodies. `operations` has the request and the response of each operation. When the vendor publishes a new
description, compare it with these modules line by line; test_description.py then reports the properties
that the models lack.
"""
