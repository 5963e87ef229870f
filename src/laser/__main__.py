"""``python -m laser``."""

from laser.cli import main

if __name__ == "__main__":
    main(prog_name="laser")
