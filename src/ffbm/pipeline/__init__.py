"""The stages in order: the only place where chains are run in a loop."""
