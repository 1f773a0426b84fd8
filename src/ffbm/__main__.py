"""``python -m ffbm``: the command line."""

from ffbm.cli import main

if __name__ == "__main__":
    main()
