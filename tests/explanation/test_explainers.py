"""Every kind of body element answers for itself."""

from __future__ import annotations

from typing import get_args

from laser.explanation.explainers import EXPLAINERS
from laser.rules.body import BodyElement


def test_every_kind_of_body_element_has_a_row() -> None:
    assert set(EXPLAINERS) == set(get_args(BodyElement))
