"""`clouddb dashboards`: programs from files of dashboards, and files from dashboards."""
