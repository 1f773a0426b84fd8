"""The stages in order, and the loop that cuts their chains into segments."""
