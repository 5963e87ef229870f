"""Histories as SQL: where the whole stream is there, rules are relational algebra over intervals."""

from laser.sql.history import History

__all__ = ["History"]
