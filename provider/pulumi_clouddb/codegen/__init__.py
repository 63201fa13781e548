"""The generator: models → schema.json → the typed classes in sdk/ and the pages in docs/reference/.

`schema` reads the models; everything else reads schema.json, as the generators of other languages do.
"""
