"""User-defined functions of the organization, and the services that have them."""
