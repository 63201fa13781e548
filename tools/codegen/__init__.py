"""The generator: models → schema.json → the typed classes in sdk/, the pages in docs/reference/ and tables elsewhere.

`schema` reads the models; the classes and the reference are written from schema.json, as the generators of other
languages do.
"""
