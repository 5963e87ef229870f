"""Everything that is known about a program before it runs, in one report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Unpack

from laser.checks import find
from laser.checks.accept import accept
from laser.checks.subject import Subject
from laser.errors import Diagnostic, ProgramError
from laser.phrases import count, did_you_mean
from laser.rules.dependencies import strata
from laser.rules.partition_key import PartitionKey, find_key
from laser.rules.reach import kept, reach
from laser.rules.rule import ResolvedProgram
from laser.rules.types import argument_types
from laser.settings import ReasonerOptions, RunSettings
from laser.syntax.parser import parse_tree
from laser.syntax.program import Program, expect_program
from laser.ticks import Tick
from laser.values import Predicate
from laser.windows import Reach

__all__ = ["CheckReport", "PredicateReport", "check"]


@dataclass(frozen=True, slots=True)
class PredicateReport:
    """A predicate: where its atoms come from, and for how long facts that stream in are kept."""

    predicate: Predicate
    streamed: bool
    derived: bool
    background: bool
    kept: Reach | None = None

    @property
    def roles(self) -> list[str]:
        roles = {"streamed in": self.streamed, "derived": self.derived, "background": self.background}
        return [role for role, applies in roles.items() if applies] or ["unknown"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The report: always predicates and findings; strata and reach only if the program has no errors."""

    name: str
    source: str
    tick: Tick
    predicates: tuple[PredicateReport, ...]
    findings: tuple[Diagnostic, ...]
    strata: tuple[frozenset[Predicate], ...] = ()
    reach: Reach | None = None
    key: PartitionKey | None = None
    typed: tuple[Subject, ResolvedProgram] | None = field(default=None, repr=False)
    """The program. The types of its inputs are computed on demand, because that takes longer than all checks."""
    warmup: int = 0
    """The number of ticks at the start without output."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs with the types of their arguments, as declared or as the rules use them."""
        return () if self.typed is None else _inputs(*self.typed)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether the program may run."""
        return not self.errors

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *more: str) -> str:
        """The report for a person; ``more`` are lines to add to what it says about a program without errors."""
        blocks = [finding.render(self.source, self.name) for finding in self.findings]
        if self.ok:
            blocks += ["\n".join(self._table()), "\n".join([*self._facts(), *more])]
        summary = f"{self.name}: {count(len(self.errors), 'error')}, {count(len(self.warnings), 'warning')}"
        return "\n\n".join(block for block in [*blocks, summary] if block)

    def _table(self) -> list[str]:
        rows = [("predicate", "comes from", "kept")]
        rows += [(str(p.predicate), ", ".join(p.roles), str(p.kept or "")) for p in self.predicates]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        return [f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip() for a, b, c in rows] if rows[1:] else []

    def _facts(self) -> list[str]:
        layers = [", ".join(map(str, sorted(stratum))) for stratum in self.strata]
        lines = [f"stratum {number}: {layer}" for number, layer in enumerate(layers, 1)]
        inputs = self.inputs
        lines += [f"inputs: {', '.join(inputs)}"] if inputs else []
        lines += [f"reach: {self.reach}, in ticks of {self.tick}"] if self.reach else []
        lines += [f"warm-up: no output for the first {count(self.warmup, 'tick')}"] if self.warmup else []
        return [*lines, f"key: {self.key}"] if self.key is not None else lines

    def to_json(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return {
            "name": self.name,
            "ok": self.ok,
            "tick": str(self.tick),
            "predicates": list(map(_predicate_json, self.predicates)),
            "strata": [list(map(str, sorted(stratum))) for stratum in self.strata],
            "reach": _past_json(self.reach),
            "key": _key_json(self.key),
            "inputs": list(self.inputs),
            "warmup": self.warmup,
            "findings": list(map(_finding_json, self.findings)),
        }


def check(
    program: Program | str,
    inputs: Iterable[Predicate | str] | None = None,
    folder: str | PathLike[str] | None = ".",
    **options: Unpack[ReasonerOptions],
) -> CheckReport:
    """Check a program; ``inputs`` are the predicates that stream in, given as ``temp/1`` or ``temp``.

    If the program is given as text, paths in ``#include`` are relative to ``folder``.

    >>> print(check("alarm :- temp(V) in [30], V > 90.", inputs=["temp"]).reach)
    the 30 ticks before the present
    """
    settings = RunSettings.read(options, ReasonerOptions)
    tick = settings.tick
    if isinstance(program, str):
        try:
            program = parse_tree(program, folder=folder)
        except ProgramError as error:
            return CheckReport(error.name, error.source, tick, (), error.diagnostics)
    program = expect_program(program)
    given: list[Predicate | str] = [inputs] if isinstance(inputs, str) else list(inputs or ())
    background = frozenset(fact.signature for fact in settings.background)
    known = None if inputs is None else _to_predicates(program, given)
    findings = (*_strangers(program, given), *find(program, known, settings.constants, tick, background))
    subject = Subject(program, known, given=background)
    if any(finding.severity == "error" for finding in findings):
        return CheckReport(program.name, program.source, tick, _predicates(subject, {}), findings)
    try:
        return _full_report(subject, findings, settings)
    except ProgramError as error:  # errors that show only in the resolved program
        return CheckReport(
            program.name, program.source, tick, _predicates(subject, {}), (*findings, *error.diagnostics)
        )


def _full_report(subject: Subject, findings: tuple[Diagnostic, ...], settings: RunSettings) -> CheckReport:
    core = accept(subject.program, settings)
    return CheckReport(
        subject.program.name,
        subject.program.source,
        settings.tick,
        _predicates(subject, kept(core, subject.streamed)),
        findings,
        strata(core),
        reach(core, subject.streamed),
        find_key(core, subject.streamed) if core.rules else None,
        (subject, core),
        core.warmup,
    )


def _inputs(subject: Subject, core: ResolvedProgram) -> tuple[str, ...]:
    """The inputs, written as in ``#input``; without a declaration, arguments have no names."""
    declared = subject.program.inputs
    given = {predicate: [kind.static for _, kind in found.fields] for predicate, found in declared.items()}
    types = argument_types(core, given, mixed=True)
    texts: list[str] = []
    for predicate in sorted(subject.streamed):
        if predicate in declared:
            fields = [f"{name}: {kind.value}" for name, kind in declared[predicate].fields]
        else:
            fields = [str(kind or "any") for kind in types.get(predicate, [None] * predicate.arity)]
        texts += [f"{predicate.name}({', '.join(fields)})"] if fields else []
    return tuple(texts)


def _to_predicates(program: Program, inputs: list[Predicate | str]) -> frozenset[Predicate]:
    """Predicates from their names; a name without an arity means every predicate of the program with that name."""
    mentioned = _mentioned(Subject(program))
    exact = {p for p in map(_exact, inputs) if p is not None}
    return frozenset(exact | {p for p in mentioned if p.name in inputs})


def _exact(given: Predicate | str) -> Predicate | None:
    """The predicate, if it was given with its arity."""
    if not isinstance(given, str):
        return given
    name, slash, arity = given.rpartition("/")
    return Predicate(name, int(arity)) if slash and arity.isdigit() else None


def _strangers(program: Program, inputs: list[Predicate | str]) -> Iterator[Diagnostic]:
    """Inputs without an arity that match no predicate of the program, and so have no effect."""
    names = {p.name for p in _mentioned(Subject(program))}
    for given in inputs:
        if isinstance(given, str) and _exact(given) is None and given not in names:
            message = f"the program has no predicate `{given}` that could stream in"
            note = "an input without an arity means every predicate of the program with that name"
            hint = did_you_mean(given, sorted(names), f"write it with its arity, as in `{given}/1`")
            yield Diagnostic("unknown-predicate", message, None, note, hint, "warning")


def _mentioned(subject: Subject) -> frozenset[Predicate]:
    return subject.read | subject.derived | subject.background


def _predicates(subject: Subject, keeps: Mapping[Predicate, Reach]) -> tuple[PredicateReport, ...]:
    return tuple(
        PredicateReport(p, p in subject.streamed, p in subject.derived, p in subject.background, keeps.get(p))
        for p in sorted(_mentioned(subject) | subject.streamed)
    )


def _predicate_json(report: PredicateReport) -> dict[str, Any]:
    return {
        "name": report.predicate.name,
        "arity": report.predicate.arity,
        "roles": report.roles,
        "kept": _past_json(report.kept),
    }


def _past_json(past: Reach | None) -> dict[str, Any] | None:
    if past is None:
        return None
    latest = [{"predicate": str(w.predicate), "tuples": w.size, "per": [i + 1 for i in w.per]} for w in past.latest]
    latest.sort(key=str)
    return {"ticks": past.ticks, "tuples": past.tuples, "latest": latest, "text": str(past)}


def _key_json(key: PartitionKey | None) -> dict[str, Any] | None:
    if key is None:
        return None
    return {"positions": {str(p): i + 1 for p, i in sorted(key.positions.items())}, "reason": key.reason or None}


def _finding_json(finding: Diagnostic) -> dict[str, Any]:
    place = finding.span
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "file": finding.file.name if finding.file else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "end_line": place.end_line if place else None,
        "end_column": place.end_column if place else None,
        "note": finding.note,
        "hint": finding.hint,
    }
