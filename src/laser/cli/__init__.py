"""The command line."""

from laser.cli.group import main

__all__ = ["main"]
