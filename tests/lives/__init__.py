"""The lives of resources; each is in `life.py` of the folder of its thing."""
