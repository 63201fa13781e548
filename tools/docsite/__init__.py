"""What turns the pages of the repository into a site; see mkdocs.yml."""
