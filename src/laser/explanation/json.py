"""Explanations as JSON, for other programs.

Proofs share parts, and may be nested deeper than a JSON reader allows. So all proofs are in one list, ``nodes``, and refer to
each other by index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from laser.explanation.calendar import dates_in
from laser.explanation.explanation import Explanation, Extent, Failure, Premise, Proof, RuleText
from laser.ticks import Tick
from laser.values import Value, type_of, write_value

__all__ = ["to_json"]

MOST_PARTS = 1000
"""At most this many proofs are written for a long run under □: the first ones and the last."""


def to_json(explanation: Explanation, dates: Tick | None = None) -> dict[str, Any]:
    """The whole explanation; docs/explain.md describes its parts. With a tick, it has dates for time points."""
    writer = _Writer()
    answer: dict[str, Any] = {
        "atom": str(explanation.atom),
        "time": explanation.time,
        "holds": explanation.holds,
        "since": explanation.since,
        "until": explanation.until,
        "since_exact": explanation.since_exact,
        "until_exact": explanation.until_exact,
        "proofs": [writer.add(proof) for proof in explanation.proofs],
        "more": explanation.more,
        "failures": [writer.failure(failure) for failure in explanation.failures],
    }
    writer.finish()
    whole = {**answer, "nodes": writer.nodes}
    return whole if dates is None else _with_dates(whole, dates_in(explanation, dates), dates)


_TIMES = frozenset({"time", "since", "until", "first", "last"})


def _dated_field(key: str, value: Any, write: Callable[[str], str], tick: Tick) -> Any:
    if key in _TIMES and type(value) is int:
        return tick.to_text(value)
    return value if key in ("rule", "bindings") else _with_dates(value, write, tick)


def _with_dates(part: Any, write: Callable[[str], str], tick: Tick) -> Any:
    """The same with dates in the place of time points, and in texts; the user's own rules stay."""
    match part:
        case dict():
            return {key: _dated_field(key, value, write, tick) for key, value in part.items()}
        case list():
            return [_with_dates(each, write, tick) for each in part]
        case str():
            return write(part)
        case _:
            return part


class _Writer:
    """Numbers the proofs and writes them one after the other."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = []
        self.places: dict[int, int] = {}
        self.pending: list[Proof] = []

    def add(self, proof: Proof) -> int:
        """The index of a proof in the list."""
        if id(proof) not in self.places:
            self.places[id(proof)] = len(self.nodes)
            self.nodes.append({})
            self.pending.append(proof)
        return self.places[id(proof)]

    def finish(self) -> None:
        # The list keeps every proof alive, so that its id() is unique.
        for proof in self.pending:
            self.nodes[self.places[id(proof)]] = self.proof(proof)

    def proof(self, proof: Proof) -> dict[str, Any]:
        node: dict[str, Any] = {"atom": str(proof.atom), "time": proof.time, "source": proof.source}
        if proof.position is not None:
            node["position"] = proof.position
        if proof.rule is not None:
            node["rule"] = _rule(proof.rule)
            node["bindings"] = _bindings(proof.bindings)
            node["premises"] = list(map(self.premise, proof.premises))
        return node

    def premise(self, premise: Premise) -> dict[str, Any]:
        shown: Sequence[Proof] = premise.proofs
        if len(shown) > MOST_PARTS:
            shown = [*shown[: MOST_PARTS - 1], shown[-1]]
        return {
            "text": premise.text,
            "kind": premise.kind,
            "says": premise.says,
            "window": _window(premise.window),
            "proofs": [self.add(proof) for proof in shown],
            "more": len(premise.proofs) - len(shown),
        }

    def failure(self, failure: Failure) -> dict[str, Any]:
        return {
            "atom": str(failure.atom),
            "first": failure.time if failure.first is None else failure.first,
            "time": failure.time,
            "rule": None if failure.rule is None else _rule(failure.rule),
            "element": failure.element,
            "bindings": _bindings(failure.bindings),
            "window": _window(failure.window),
            "reason": failure.reason,
            "nearest": list(failure.nearest),
            "satisfied": list(map(self.premise, failure.satisfied)),
            "because": [self.add(proof) for proof in failure.because],
            "failures": list(map(self.failure, failure.failures)),
        }


def _rule(rule: RuleText) -> dict[str, Any]:
    return {"text": rule.text, "line": rule.line, **({} if rule.file is None else {"file": rule.file})}


def _window(window: Extent | None) -> dict[str, Any] | None:
    if window is None:
        return None
    kinds = {
        "kind": window.kind,
        "size": window.size,
        "facts": window.facts,
        "written": window.written,
        "of": window.of,
    }
    return {"first": window.first, "last": window.last, **kinds}


def _bindings(bindings: Mapping[str, Value]) -> dict[str, Any]:
    """Values that JSON has stay as they are; others become text as in programs."""
    return {
        name: value if type_of(value).to_json(value) == value else write_value(value)
        for name, value in bindings.items()
    }
