"""A live run inside a worker: lines in, changes out."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from laser.checks.load import parse
from laser.engine.reasoner import Reasoner
from laser.engine.run import step_through
from laser.errors import FactError, TimeError
from laser.io.formats import format_of_text
from laser.io.lines import Line
from laser.io.records import Entry, Malformed, Record, records_of
from laser.serve.run_request import run_settings
from laser.values import Atom
from laser.values.facts import to_atom
from laser.values.time import texts_in

__all__ = ["LiveRun"]

KEPT_FACTS = 50_000
"""The number of facts that are kept to explain the past."""


class LiveRun:
    """A reasoner that is fed lines, and keeps the last facts for explanations."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._program = parse(str(message.get("program", "")), folder=None)
        self._settings = run_settings(message, self._program.zone)
        self._reasoner = Reasoner.of(self._program, self._settings)
        self._facts: deque[tuple[int, Atom]] = deque(maxlen=KEPT_FACTS)
        self._seen = 0

    def take(self, lines: list[str], first: int) -> dict[str, Any]:
        """Take lines, each in any format, in order; malformed and late ones are reported and have no effect."""
        with texts_in(self._settings.tick.zone):
            return self._take(lines, first)

    def _take(self, lines: list[str], first: int) -> dict[str, Any]:
        items = list(records_of(self._read(lines, first), self._settings.start, self._reasoner.time))
        rejected = [{"line": item.line, "reason": item.reason} for item in items if isinstance(item, Malformed)]
        return {**self._advance([item for item in items if isinstance(item, Record)]), "rejected": rejected}

    def _read(self, lines: list[str], first: int) -> Iterator[Entry | Malformed]:
        for number, line in enumerate(lines, first):
            form = format_of_text(line)
            yield from form.read_lines([Line(number, line)], form.parser(self._settings.tick))

    def _advance(self, records: list[Record]) -> dict[str, Any]:
        changes: list[tuple[int, str, bool]] = []
        facts: list[tuple[int, str]] = []
        stream = [(record.time, record.facts) for record in records]
        if any(record.iso for record in records[:1]) and self._reasoner.time is None:
            self._reasoner = Reasoner.of(self._program, replace(self._settings, dates=True))
        for time, given, changed in step_through(self._reasoner, stream) if stream else ():
            changes += [(at, str(atom), holds) for at, atom, holds in changed]
            atoms = list(map(to_atom, given))
            facts += [(time, str(atom)) for atom in atoms]
            self._facts.extend((time, atom) for atom in atoms)
            self._seen += len(atoms)
        return {"now": self._reasoner.time, "facts": facts, "changes": changes}

    def explain(self, message: dict[str, Any]) -> dict[str, Any]:
        """Explain why an atom holds, or does not, at a time whose facts are still kept."""
        with texts_in(self._settings.tick.zone):
            return self._explain(message)

    def _explain(self, message: dict[str, Any]) -> dict[str, Any]:
        from laser.serve.explanations import tell

        if self._seen > len(self._facts):
            raise FactError(
                f"only the last {KEPT_FACTS:,} facts are kept here, and there were more, so the past cannot be explained"
            )
        stream = [(time, [atom]) for time, atom in self._facts]
        time = int(message["at"])
        present = self._reasoner.time
        if present is None or time > present:
            raise TimeError(f"time {time} is in the future")
        settings = replace(self._settings, start=self._reasoner.start, dates=self._reasoner.dates)
        return tell(self._program, stream, str(message["atom"]), time, settings)
