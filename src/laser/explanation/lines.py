"""Explanations as trees of lines, which the terminal, pictures and notebooks draw in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from laser.explanation.calendar import dates_in
from laser.explanation.explanation import Explanation, Failure, Premise, Proof, RuleText
from laser.phrases import count
from laser.ticks import Tick
from laser.values import Value, write_value

__all__ = ["Kind", "Node", "headline", "roots", "view"]

Kind = OneOf["goal", "rule", "fact", "background", "record", "found", "not", "comparison", "fails", "near", "more"]

MOST_SHOWN = 4
"""For longer runs and lists, only the first, the last and the number of the others are drawn."""


@dataclass(frozen=True, slots=True)
class Node:
    """A line, its note, and a function for the lines below it; equal parts of proofs have the same ``mark``."""

    kind: Kind
    text: str
    note: str = ""
    below: Callable[[], Sequence[Node]] = tuple
    mark: int | None = None


def view(explanation: Explanation, dates: Tick | None = None) -> Node:
    """The whole explanation; with a tick, it has dates for time points."""
    root = Node("goal", headline(explanation), "", lambda: roots(explanation))
    return root if dates is None else _with_dates(root, dates_in(explanation, dates))


def _with_dates(node: Node, write: Callable[[str], str]) -> Node:
    def below() -> Sequence[Node]:
        return [_with_dates(part, write) for part in node.below()]

    return replace(node, text=write(node.text), note=write(node.note), below=below)


def headline(explanation: Explanation) -> str:
    """What holds or does not hold, and for how long.

    >>> from laser.values import Atom
    >>> headline(Explanation(Atom("alarm"), 41, True, since=39, until=43))
    'alarm holds at 41, since 39, until 43 if nothing arrives'
    """
    goal, time = explanation.atom, explanation.time
    if not explanation.holds:
        return f"{goal} does not hold at {time}"
    atoms = {proof.atom for proof in explanation.proofs}
    if isinstance(goal, tuple) or (len(atoms) == 1 and not explanation.more):
        what = goal if isinstance(goal, tuple) else f"{next(iter(atoms))} (which matches {goal})"
        return ", ".join([f"{what} holds at {time}", *_span(explanation)])
    return f"{count(len(atoms) + explanation.more, 'atom')} of the form {goal} hold at {time}"


def _span(explanation: Explanation) -> Iterator[str]:
    since, until = explanation.since, explanation.until
    if since is not None:
        yield f"since {since}" if explanation.since_exact else f"since {since} or longer"
    if until is not None:
        yield f"until {until}{'' if explanation.until_exact else ' or longer'} if nothing arrives"
    else:
        yield "for as long as nothing arrives"


def roots(explanation: Explanation) -> list[Node]:
    """The lines below the headline."""
    several = len({proof.atom for proof in explanation.proofs}) > 1
    nodes = [_derivation(proof, f"{proof.atom}: " if several else "") for proof in explanation.proofs]
    if explanation.more:
        noun = "atom" if several else "proof"
        nodes.append(Node("more", f"… {count(explanation.more, 'more ' + noun)}"))
    return nodes + [_failure(failure, "") for failure in explanation.failures]


# -- proofs


def _derivation(proof: Proof, before: str = "") -> Node:
    """A rule instance, a fact, a record or background data."""
    if proof.source == "background":
        return Node("background", f"{before}{proof.atom} is background data")
    if proof.source == "record":
        return Node("record", f"{before}{proof.atom} held at {proof.time}", _spell(proof))
    if proof.rule is None:
        return Node("fact", f"{before}{proof.atom} is a fact at {proof.time}")
    note = _note(proof.rule, proof.bindings)
    return Node("rule", f"{before}{proof.rule.text}", note, lambda: list(map(_premise, proof.premises)), id(proof))


def _spell(proof: Proof) -> str:
    """The interval in which a recorded atom held."""
    spell = proof.spell
    if spell is None or spell.since == spell.until:
        return "recorded"
    return f"recorded from {spell.since} to {spell.until}"


def _note(rule: RuleText, bindings: Mapping[str, Value]) -> str:
    """The line of a rule, and the values of its variables."""
    where = "" if rule.file is None else f" of {rule.file}"
    line = [f"line {rule.line}{where}"] if rule.line is not None else []
    values = ", ".join(f"{name} = {write_value(value)}" for name, value in bindings.items())
    return "; ".join([*line, *([values] if values else [])])


def _premise(premise: Premise) -> Node:
    kind: Kind = "found"
    if premise.kind in ("comparison", "aggregate"):
        kind = "comparison"
    elif premise.kind in ("not", "absent"):
        kind = "not"
    elif len(premise.proofs) == 1 and premise.proofs[0].source != "rule":
        kind = premise.proofs[0].source
    notes = {"fact": "fact", "record": _spell(premise.proofs[0])} if premise.proofs else {}
    return Node(kind, premise.says, notes.get(kind, ""), lambda: _evidence(premise))


def _evidence(premise: Premise) -> list[Node]:
    """The proofs below a premise; a single fact is already named in the premise."""
    proofs = premise.proofs
    if len(proofs) == 1 and premise.kind not in ("always", "times"):
        return [_derivation(proofs[0])] if proofs[0].source == "rule" else []
    if len(proofs) <= MOST_SHOWN:
        return [_at(proof) for proof in proofs if proof.source != "background"]
    rest = Node("more", f"… {count(len(proofs) - 2, 'more time point')}")
    return [_at(proofs[0]), rest, _at(proofs[-1])]


def _at(proof: Proof) -> Node:
    return _derivation(proof, f"at {proof.time}: " if proof.source == "rule" else "")


# -- failures


def _failure(failure: Failure, before: str) -> Node:
    if failure.rule is None:
        return Node("fails", failure.reason, "", lambda: [Node("near", text) for text in failure.nearest])
    note = _note(failure.rule, failure.bindings)
    return Node("rule", f"{before}{failure.rule.text}", note, lambda: _attempt(failure), id(failure))


def _attempt(failure: Failure) -> list[Node]:
    """The parts of a body that hold, then the part that fails."""
    return [*map(_premise, failure.satisfied), Node("fails", failure.reason, "", lambda: _reasons(failure))]


def _reasons(failure: Failure) -> list[Node]:
    near = [Node("near", text) for text in failure.nearest]
    shown = failure.because if len(failure.because) <= MOST_SHOWN else failure.because[-1:]
    because = [_derivation(proof) for proof in shown if proof.source == "rule"]
    return near + because + [_failure(below, _asked(below)) for below in failure.failures]


def _asked(failure: Failure) -> str:
    """The missing atom further down, and its time."""
    if failure.first is None or failure.first == failure.time:
        return f"{failure.atom} at {failure.time}: "
    return f"{failure.atom} in [{failure.first}, {failure.time}]: "
