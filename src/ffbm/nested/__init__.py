"""Hierarchies of blocks: chains of them, the search for one of low description length, and what draws agree on."""
