"""What a life of a resource is, and all of them; each stands in `life.py` of the folder of its thing."""
