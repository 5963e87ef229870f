"""A live run inside a worker: lines in, changes out."""

from __future__ import annotations

from collections import deque
from typing import Any

from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.engine.run import drive
from laser.errors import FactError, LaserError, TimeError
from laser.io.formats.jsonl import parse_record as parse_json
from laser.io.formats.text import parse_record as parse_text
from laser.io.records import Said, reason_of
from laser.ticks import Tick
from laser.values import Atom

__all__ = ["LiveTask"]

KEPT_FACTS = 50_000
"""Facts that are kept so that the past can be explained."""


class LiveTask:
    """A reasoner that is fed lines, and keeps the last facts to explain them."""

    def __init__(self, request: dict[str, Any]) -> None:
        self._tick = Tick.parse(request.get("tick") or "1 s")
        start = request.get("start")
        self._start = None if start in (None, "") else self._tick.from_text(str(start))
        self._program = parse(str(request.get("program", "")))
        self._reasoner = Reasoner(self._program, self._start, tick=self._tick, limit=int(request.get("limit", 200_000)))
        self._facts: deque[tuple[int, Atom]] = deque(maxlen=KEPT_FACTS)
        self._seen = 0

    def take(self, lines: list[str], first: int) -> dict[str, Any]:
        """Take lines (JSON or text) in order; those that are malformed or late are told, and change nothing."""
        batches: list[tuple[int, list[Atom]]] = []
        rejected = []
        for number, line in enumerate(lines, first):
            try:
                said = self._parse(line)
                if said is not None:
                    self._check(said.time, batches)
                    self._gather(said, batches)
            except (LaserError, ValueError, RecursionError) as error:
                rejected.append({"line": number, "reason": reason_of(error)})
        return {**self._advance(batches), "rejected": rejected}

    def _parse(self, line: str) -> Said | None:
        return (parse_json if line.lstrip().startswith("{") else parse_text)(line, self._tick)

    def _check(self, time: int, batches: list[tuple[int, list[Atom]]]) -> None:
        present = batches[-1][0] if batches else self._reasoner.time
        present = self._start if present is None else present
        if present is not None and time < present:
            raise TimeError(f"time {time} lies before {present}")

    @staticmethod
    def _gather(said: Said, batches: list[tuple[int, list[Atom]]]) -> None:
        if not batches or batches[-1][0] != said.time:
            batches.append((said.time, []))
        batches[-1][1].extend(said.facts)

    def _advance(self, batches: list[tuple[int, list[Atom]]]) -> dict[str, Any]:
        changes: list[tuple[int, str, bool]] = []
        facts: list[tuple[int, str]] = []
        for time, keys, changed in drive(self._reasoner, batches) if batches else ():
            changes += [(at, str(atom), holds) for at, atom, holds in changed]
            atoms = list(map(Atom.of, keys))
            facts += [(time, str(atom)) for atom in atoms]
            self._facts.extend((time, atom) for atom in atoms)
            self._seen += len(atoms)
        return {"now": self._reasoner.time, "facts": facts, "changes": changes}

    def explain(self, request: dict[str, Any]) -> dict[str, Any]:
        """Why an atom holds, or does not, at a time of the past that is still known."""
        from laser.serve.explanations import tell

        if self._seen > len(self._facts):
            raise FactError(
                f"only the last {KEPT_FACTS:,} facts are kept here, and there were more: the past cannot be explained"
            )
        stream = [(time, [atom]) for time, atom in self._facts]
        time = int(request["at"])
        present = self._reasoner.time
        if present is None or time > present:
            raise TimeError(f"time {time} is not there yet")
        return tell(self._program, stream, str(request["atom"]), time, self._reasoner.start, self._tick)
