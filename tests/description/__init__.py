"""What the vendor publishes of its servers, as far as this package has their operations, in words of our own.

From the cloud's description of 2026-07-31 and that of the self-hosted server 2.36.0 (2026-08-21). `described.py`
in the folder of each thing has a type for each body, whose lines are the properties: name, type, limits, whether it is
required; a type has a docstring only if its name does not say what it is. `Create`, `Update`, `New...` and `...Change`
are what is sent. `operations` says what each operation takes and answers. When the vendor publishes a new description,
compare it with these modules line by line; tests/schema/test_description.py then names what the models lack.
"""
