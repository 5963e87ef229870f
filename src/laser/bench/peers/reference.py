"""The definition itself: section 3 of the specification, evaluated from scratch at each time point over the window."""

from __future__ import annotations

from laser.bench.case import Batch, Case, Experiment, Fact
from laser.bench.peers.peer import Peer, Rows
from laser.checks.accept import accept
from laser.checks.load import parse
from laser.reference import answer
from laser.values import Atom

__all__ = ["REFERENCE"]


class Reference:
    """The reference. It gets only the facts of the window, because no answer here depends on others."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        self.core = accept(parse(experiment.program(case)))
        self.rows = Rows.of(experiment, case)
        self.held: frozenset[Atom] = frozenset()

    def load(self, t: int, facts: list[Fact]) -> None:
        self.rows.add(t, facts, lambda fact, t: (t, Atom.of(fact)))

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.load(t, facts)
            history = [row for _, _, row in self.rows]
            first = 0 if self.rows.kept or self.rows.last or self.rows.by_key else max(0, t - self.rows.w)
            self.held = answer(self.core, history, first, t)
            out += len(self.held)
        return out

    def answer(self) -> set[Fact]:
        return {tuple(atom) for atom in self.held}

    def close(self) -> None:
        return


# It joins without indexes.
_LARGEST = {"join": 600, "multi-heads": 600, "recursion": 400, "tuples": 1_000, "negation": 1_000, "latest": 1_000}

_NO_WINDOW = "a record has no window, so each answer would need the whole timeline"

REFERENCE = Peer(
    "reference", "the definition, word for word", "laser", "", Reference, {"hysteresis": _NO_WINDOW}, largest=_LARGEST
)
