"""Histories as SQL: if the whole stream is available, rules are relational algebra over intervals."""

from laser.sql.history import History

__all__ = ["History"]
