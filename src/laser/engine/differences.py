"""What two batches of facts do not share."""

from __future__ import annotations

from laser.engine.relation import Key

__all__ = ["differences"]


def differences(before: set[Key], after: set[Key]) -> tuple[set[Key], set[Key]]:
    """What is in ``before`` only, and what is in ``after`` only.

    Where batches resemble each other, comparing equal facts is what costs, and this does it once rather than twice.
    """
    differing = before ^ after
    started = differing - before
    return differing - started, started
