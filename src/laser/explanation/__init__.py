"""Why an atom holds, and why it does not: proofs that can be checked, in the words of the program's author."""

from __future__ import annotations

from laser.explanation.explanation import Explanation, Extent, Failure, Premise, Proof, RuleText

__all__ = ["Explanation", "Extent", "Failure", "Premise", "Proof", "RuleText"]
