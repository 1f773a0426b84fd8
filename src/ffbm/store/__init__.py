"""A fit on disk: its parts as an xarray DataTree, and a run as a folder of files."""
