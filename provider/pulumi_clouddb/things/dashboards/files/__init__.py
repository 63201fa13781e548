"""Files of dashboards, as the server's page, its provisioner and its API write them: read, and written."""
