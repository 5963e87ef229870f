"""Explanations of extended atoms; the methods call functions of other files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from laser.explanation.element import Cost, ElementExplainer, NearMiss, Step, Validity, Values
from laser.explanation.explanation import Premise, Proof
from laser.explanation.near_misses import atom_near_miss
from laser.explanation.premises import atom_premise
from laser.explanation.solve import atom_cost, atom_step, atom_supports
from laser.explanation.table import TimedAtom
from laser.explanation.validity import atom_validity
from laser.rules.body import Always, AtLeast, ExtendedAtom

if TYPE_CHECKING:
    from laser.explanation.lasting import Validities
    from laser.explanation.prove import Prover
    from laser.explanation.world import World

__all__ = ["AtomExplainer"]


class AtomExplainer(ElementExplainer[ExtendedAtom]):
    """Extended atoms: positive, under ``not``, and with a negation inside the window."""

    def cost(self, element: ExtendedAtom, bound: AbstractSet[str], ranged: str | None) -> Cost:
        return atom_cost(element, bound, ranged)

    def step(self, element: ExtendedAtom, bound: AbstractSet[str], ranged: str | None, then: Step) -> Step:
        return atom_step(element, bound, ranged, then)

    def joins_one_by_one(self, element: ExtendedAtom) -> bool:
        return not isinstance(element.modality, Always | AtLeast)

    def supports(self, world: World, element: ExtendedAtom, binding: Values) -> Iterable[Sequence[TimedAtom]]:
        return atom_supports(world, element, binding) if element.is_positive else ((),)

    def premise(
        self, world: World, element: ExtendedAtom, binding: Values, proofs: Sequence[Proof], text: str
    ) -> Premise:
        return atom_premise(world, element, binding, proofs, text)

    def near_miss(self, prover: Prover, element: ExtendedAtom, binding: Values) -> NearMiss:
        return atom_near_miss(prover, element, binding)

    def validity(
        self, validities: Validities, element: ExtendedAtom, binding: Values, entries: Sequence[TimedAtom]
    ) -> Validity:
        return atom_validity(validities, element, binding, entries)
