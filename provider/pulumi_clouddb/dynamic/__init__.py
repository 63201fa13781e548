"""Where state finds the class of a dynamic provider; the front end itself is in `engine.dynamic`."""
