"""The provider class that state refers to; the front end is in `engine.dynamic`."""
