"""Explains why an atom holds or does not hold, with proofs that can be checked and that quote the program."""

from __future__ import annotations

from laser.explanation.explanation import Explanation, Extent, Failure, Premise, Proof, RuleText

__all__ = ["Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText"]
