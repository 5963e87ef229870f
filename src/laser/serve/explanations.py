"""Explanations as the page shows them: a tree of short texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from laser.checks.accept import accept
from laser.engine.explain import ask_stream
from laser.explanation import Explanation, Failure, Premise, Proof
from laser.explanation.calendar import dates_in
from laser.explanation.pattern import read_goal
from laser.settings import RunSettings
from laser.syntax.program import Program
from laser.values import Atom, write_value

__all__ = ["tell"]

MOST_NODES = 400
"""The number of nodes of a tree that the page shows; the others are counted."""


def tell(
    program: Program, stream: list[tuple[int, list[Atom]]], atom: str, time: int, settings: RunSettings
) -> dict[str, Any]:
    """Why an atom holds at a time, or why not: as text, and as the tree for the page."""
    settings = replace(settings, dates=accept(program, settings).dates)
    told = ask_stream(program, settings, stream, read_goal(atom, program), time)
    write = dates_in(told, settings.tick) if settings.dates else str
    return {
        "atom": str(told.atom),
        "time": time,
        "when": settings.tick.to_text(time) if settings.dates else str(time),
        "holds": told.holds,
        "extent": write(_extent(told)),
        "text": told.to_text(dates=settings.tick if settings.dates else None),
        "tree": Tree(write).explanation(told),
    }


def _extent(told: Explanation) -> str:
    """Since when, and until when if nothing arrives."""
    if not told.holds or told.since is None:
        return ""
    since = f"since {told.since}" if told.since_exact else f"since {told.since} or longer"
    if told.until is None:
        return f"{since}, with no end if nothing arrives"
    return f"{since}, until {told.until}{'' if told.until_exact else ' or longer'} if nothing arrives"


_GIVEN = {
    "fact": "is a fact of the stream",
    "background": "is background data",
    "record": "was derived then, and is recorded",
}


class Tree:
    """Turns proofs and failures into nodes ``{kind, text, note, line, children}``, up to a maximum number."""

    def __init__(self, write: Callable[[str], str] = str) -> None:
        self._left = MOST_NODES
        self._write = write

    def explanation(self, told: Explanation) -> list[dict[str, Any]]:
        """The roots."""
        roots = self._all(map(self.proof, told.proofs)) if told.holds else self._all(map(self.failure, told.failures))
        if told.more:
            roots.append(_node("more", f"and {told.more} more"))
        return roots

    def proof(self, proof: Proof) -> dict[str, Any]:
        """An atom with its rule, and below it the parts of the body."""
        head = f"{proof.atom} at {proof.time}"
        if proof.source != "rule":
            back = f", {proof.position} from the end of the stream" if proof.position else ""
            note = _GIVEN[proof.source]
            return _node(proof.source, head, note + back)
        node = _node("rule", head, _bindings(proof.bindings))
        node.update(rule=str(proof.rule), line=proof.rule.line if proof.rule else None)
        node["children"] = self._all(map(self.premise, proof.premises))
        return node

    def premise(self, premise: Premise) -> dict[str, Any]:
        """A part of a body, why it holds, and below it the proofs."""
        node = _node("premise", premise.text, premise.says)
        node["children"] = self._all(map(self.proof, premise.proofs))
        return node

    def failure(self, failure: Failure) -> dict[str, Any]:
        """A rule that does not fire: its bindings, and the part that fails."""
        if failure.rule is None:
            return _node("missing", f"{failure.atom} at {failure.time}", failure.reason)
        node = _node("failure", f"{failure.atom} at {failure.time}", _bindings(failure.bindings))
        node.update(rule=str(failure.rule), line=failure.rule.line)
        fails = _node("fails", failure.element or "", "; ".join([failure.reason, *failure.nearest]))
        fails["children"] = self._all(map(self.proof, failure.because)) + self._all(map(self.failure, failure.failures))
        node["children"] = [*self._all(map(self.premise, failure.satisfied)), *self._all([fails])]
        return node

    def _all(self, nodes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        taken: list[dict[str, Any]] = []
        for node in nodes:
            if self._left <= 0:
                return [*taken, _node("more", "… and more, which is not shown here")]
            self._left -= 1
            node.update(text=self._write(node["text"]), note=self._write(node["note"]))
            taken.append(node)
        return taken


def _node(kind: str, text: str, note: str = "") -> dict[str, Any]:
    return {"kind": kind, "text": text, "note": note, "children": []}


def _bindings(bindings: Any) -> str:
    return ", ".join(f"{name} = {write_value(value)}" for name, value in bindings.items())
