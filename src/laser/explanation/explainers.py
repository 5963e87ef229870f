"""The explainer of each kind of body element. A new kind needs a file like ``comparisons.py`` and a row here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from laser.explanation.aggregates import AggregateExplainer
from laser.explanation.atoms import AtomExplainer
from laser.explanation.comparisons import ComparisonExplainer
from laser.explanation.element import ElementExplainer
from laser.rules.body import Aggregate, BodyElement, Comparison, ExtendedAtom

__all__ = ["EXPLAINERS", "explainer_of"]

EXPLAINERS: Mapping[type[BodyElement], ElementExplainer[Any]] = {
    ExtendedAtom: AtomExplainer(),
    Comparison: ComparisonExplainer(),
    Aggregate: AggregateExplainer(),
}


def explainer_of(element: BodyElement) -> ElementExplainer[Any]:
    """The explainer for an element."""
    return EXPLAINERS[type(element)]
