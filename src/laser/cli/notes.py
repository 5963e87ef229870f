"""Warnings of all commands about a program and its stream: what is rarely intended, and what cannot match."""

from __future__ import annotations

from collections.abc import Iterable

from laser.checks import find
from laser.cli import messages
from laser.phrases import is_slip, listed
from laser.rules.rule import ResolvedProgram
from laser.settings import RunSettings
from laser.syntax.program import Program
from laser.values import Predicate

__all__ = ["Unread", "warn_of_program"]


def warn_of_program(program: Program, settings: RunSettings) -> None:
    """Print the warnings of ``laser check``, one per line, taking the background data into account."""
    if not program.rules and not program.facts:
        messages.warning(f"{program.name} has no rules, so there are no answers")
    derived = {rule.head.predicate for rule in program.rules}
    read = {literal.atom.predicate for rule in program.rules for literal in rule.all_literals}
    written = {fact.atom.predicate for fact in program.facts}
    given = {atom.signature for atom in settings.background}
    inputs = frozenset(program.inputs) or read - derived - written - given
    for finding in find(program, inputs, settings.constants, settings.tick, given):
        if finding.severity == "warning":
            place = f":{finding.span.line}:{finding.span.column}" if finding.span else ""
            hint = f"; {finding.hint}" if finding.hint else ""
            messages.finding(f"{program.name}{place}: warning[{finding.code}]: {finding.message}{hint}")


class Unread:
    """Warns about predicates of the stream that no rule reads, if that is probably a mistake: the name is almost that of a predicate
    that a rule reads, or no rule reads anything of the stream."""

    def __init__(self, core: ResolvedProgram) -> None:
        self._reads = core.reads
        self._counts_all = any(atom.window.reach.tuples for rule in core.rules for atom in rule.atoms)
        self._seen: set[Predicate] = set()
        self._told = False

    def see(self, predicates: Iterable[Predicate]) -> None:
        """Take predicates of the stream; one that is almost read is reported at once."""
        for predicate in sorted(set(predicates) - self._seen - self._reads):
            self._seen.add(predicate)
            same = sorted(p for p in self._reads if p.name == predicate.name)
            near = next((p for p in sorted(self._reads) if is_slip(predicate.name, p.name)), None)
            self._told = self._told or bool(same)
            if same:
                messages.warning(
                    f"{predicate} is in the stream, but no rule reads it: the rules read {listed(list(map(str, same)), 'and')}"
                )
            elif near is not None and not self._counts_all:
                messages.warning(f"{predicate} is in the stream, but no rule reads it: did you mean {near}?")
        self._seen.update(predicates)

    def end(self) -> None:
        """Warn if no rule read anything of the stream."""
        if self._seen and self._reads and not self._told and not self._seen & self._reads and not self._counts_all:
            found, read = (listed(list(map(str, sorted(several))), "and") for several in (self._seen, self._reads))
            messages.warning(f"no rule reads anything of the stream: it has {found}, but the rules read {read}")
