"""Histories as SQL: where the whole stream is there, rules are relational algebra over intervals."""
