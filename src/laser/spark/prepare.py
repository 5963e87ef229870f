"""From a user's call to a job: what streams in, how the stream is cut, what the columns of the answers are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import DataFrame

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.errors import LaserError
from laser.rules.body import ExtendedAtom
from laser.rules.partition_key import find_key
from laser.rules.reach import reach
from laser.rules.rule import ResolvedProgram
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.spark.background import Background, read_background
from laser.spark.column_types import RESERVED, Flow, find_flow
from laser.spark.columns import carrier, join
from laser.spark.job import Job, Mode
from laser.spark.layout import Layout, Shape
from laser.spark.lift import lift
from laser.spark.sources import Source
from laser.syntax import tree
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom, Predicate
from laser.values.facts import FactInput, to_atoms

__all__ = ["Prepared", "Wanted", "prepare"]


@dataclass(frozen=True)
class Wanted:
    """What the user asked for, besides the inputs."""

    program: Program | str
    key: str | bool | None = None
    background: Mapping[str, DataFrame] | Iterable[FactInput] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: Tick = field(default_factory=Tick)
    start: int | None = None
    mixed: bool = False
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    limit: int = DEFAULT_LIMIT


@dataclass(frozen=True)
class Prepared:
    """A job with the sources that feed it; ``clocks`` only move the time. ``why`` says how the stream is cut."""

    job: Job
    sources: tuple[Source, ...]
    clocks: tuple[Source, ...]
    keys: Mapping[Predicate, str]
    """The key's column in each source."""
    dated: bool
    why: str

    @property
    def all_sources(self) -> tuple[Source, ...]:
        return (*self.sources, *self.clocks)


def prepare(wanted: Wanted, given: Sequence[Source]) -> Prepared:
    """Check and plan a run; LaserError or ProgramError where something does not fit, before anything runs."""
    program = parse(wanted.program) if isinstance(wanted.program, str) else wanted.program
    background = read_background(wanted.background)
    bare = accept(program, RunSettings(constants=wanted.constants, tick=wanted.tick))
    lifts = _lifts(wanted.key, given, bare)
    shared, own = _divide(background, wanted.key, bare) if lifts else (background, [])
    sources = [_fit(source, bare, str(wanted.key) if lifts else None) for source in given]
    return _Plan(wanted, program, sources, shared, own, lifts).prepared()


def _mentioned(core: ResolvedProgram) -> set[Predicate]:
    return {e.predicate for rule in core.rules for e in rule.body if isinstance(e, ExtendedAtom)} | core.derived


def _lifts(key: str | bool | None, sources: Sequence[Source], core: ResolvedProgram) -> bool:
    """Whether the named key is a column of which the program does not know."""
    if not isinstance(key, str):
        return False
    mentioned, known = _mentioned(core), {p.name for p in _mentioned(core)}
    relevant = [source for source in sources if source.name in known and key in source.types]
    if not relevant:
        raise LaserError(f"no input of the program has a column {key}, which is named as the key")
    named = [source for source in relevant if key in source.args and source.predicate in mentioned]
    if named and len(named) < len(relevant):
        raise LaserError(f"the key {key} is an argument of {named[0].predicate}, and not of {relevant[0].predicate}")
    return not named


def _fit(source: Source, core: ResolvedProgram, lifted: str | None) -> Source:
    """A source whose columns are the arguments that the program gives it, after the key if there is one to lift."""
    mentioned = {p.arity for p in _mentioned(core) if p.name == source.name}
    args = tuple(arg for arg in source.args if arg != lifted)
    if mentioned and len(args) not in mentioned:
        wants = " and ".join(f"{source.name}/{arity}" for arity in sorted(mentioned))
        raise LaserError(
            f"the program reads {wants}, and the input {source.name} has {len(args)} columns for arguments "
            f"({', '.join(args) or 'none'}): name those that are meant, as in Input(table, args=[…])"
        )
    if lifted is None:
        return source
    if lifted not in source.types and mentioned:
        raise LaserError(f"input {source.name} has no column {lifted}, which is the key")
    return replace(source, args=(lifted, *args) if lifted in source.types else args)


def _divide(
    background: list[Background], key: str | bool | None, core: ResolvedProgram
) -> tuple[list[Background], list[Background]]:
    """Background tables for all keys, and those that have the key as a column."""
    own = [b for b in background if key in b.names and Predicate(b.name, len(b.names) - 1) in _mentioned(core)]
    return [b for b in background if b not in own], [b.led_by(str(key)) for b in own]


@dataclass
class _Plan:
    wanted: Wanted
    program: Program
    given: list[Source]
    shared: list[Background]
    own: list[Background]
    lifts: bool

    def prepared(self) -> Prepared:
        wanted = self.wanted
        shared = tuple(self._atoms(self.shared))
        self.core = accept(self.program, RunSettings(constants=wanted.constants, tick=wanted.tick, background=shared))
        past = reach(self.core, self._predicates(self.given))
        self.sources, self.clocks = self._split(past.tuples)
        self.inputs = self._predicates(self.sources)
        self.static = self._static()
        dated = self._dated()
        mode, positions, why = self._cut(past.tuples)
        flow = self._flow("timestamp" if dated else "bigint")
        key_kind = self._key_kind()
        job = Job(
            program=self._shipped(mode),
            inputs=Layout.of(Shape(s.predicate, s.kinds, s.args) for s in self.sources),
            outputs=Layout.of(self._output(flow, p, key_kind) for p in sorted(self.core.derived) if self.core.shows(p)),
            mode=mode,
            positions=positions,
            checked=mode == "keyed" and not all(map(self._is_bound, self.core.rules)),
            background=tuple(sorted(self.core.background)),
            own_background=tuple(sorted(self._atoms(self.own))),
            constants=dict(wanted.constants),
            tick=wanted.tick,
            start=wanted.start,
            reach=past.ticks,
            tuples=past.tuples,
            limit=wanted.limit,
        )
        return Prepared(job, tuple(self.sources), tuple(self.clocks), self._keys(mode, positions), dated, why)

    def _predicates(self, sources: Sequence[Source]) -> set[Predicate]:
        """The predicates that stream in, as the program has them."""
        return {Predicate(s.name, len(s.args) - self._lifted(s)) for s in sources}

    def _lifted(self, source: Source) -> int:
        return int(self.lifts and source.args[:1] == (self.wanted.key,))

    def _split(self, tuples: int) -> tuple[list[Source], list[Source]]:
        """Sources that the program reads, and those that only move the time (unless tuple windows count them)."""
        if len({source.predicate for source in self.given}) < len(self.given):
            raise LaserError("two inputs are of one predicate: unite their DataFrames first")
        read = _mentioned(self.core)
        relevant = [s for s in self.given if tuples or self._predicates([s]) & read]
        if tuples and self.lifts and not all(map(self._lifted, relevant)):
            raise LaserError(f"a tuple window counts every input, so every input needs the key {self.wanted.key}")
        return relevant, [s for s in self.given if s not in relevant]

    def _static(self) -> set[Predicate]:
        own = {Predicate(b.name, len(b.names) - 1) for b in self.own}
        return (
            (_mentioned(self.core) | {a.signature for a in self.core.background})
            - self.core.derived
            - self.inputs
            - own
        )

    def _dated(self) -> bool:
        dated = {source.is_dated for source in self.given}
        if len(dated) > 1:
            raise LaserError("some inputs have dates as times and others numbers: turn one into the other first")
        return dated == {True}

    def _cut(self, tuples: int) -> tuple[Mode, dict[Predicate, int], str]:
        key = self.wanted.key
        if self.lifts:
            everywhere = {atom.signature for atom in self.core.background} - self.static
            apart = bool(tuples or everywhere)
            return "apart" if apart else "lifted", {}, f"lifted over {key}" + (", a reasoner for each" if apart else "")
        if key is False:
            return "whole", {}, "one stream, as asked for"
        fixed = {s.predicate: s.args.index(key) for s in self.sources if key in s.args} if isinstance(key, str) else {}
        found = find_key(self.core, self.inputs, fixed)
        if not found and fixed:
            raise LaserError(f"the stream cannot be cut by {key}: {found.reason}")
        terms = [s.predicate for s in self.sources if found and s.kinds[found.positions.get(s.predicate, 0)] == "term"]
        if not found or terms:
            reason = found.reason or f"the key of {terms[0]} is a column of terms"
            return "whole", {}, f"one stream: {reason}"
        return "keyed", dict(found.positions), f"by key: {found}"

    def _keys(self, mode: Mode, positions: Mapping[Predicate, int]) -> dict[Predicate, str]:
        if mode == "whole":
            return {}
        if mode == "keyed":
            return {s.predicate: s.args[positions.get(s.predicate, 0)] for s in self.sources if s.args}
        return {s.predicate: s.args[0] for s in self.sources}

    def _flow(self, time_kind: str) -> Flow:
        inputs = {
            Predicate(s.name, len(s.args) - self._lifted(s)): (s.kinds[self._lifted(s) :], s.args[self._lifted(s) :])
            for s in self.sources
        }
        tables = {b.predicate: (b.kinds, b.names) for b in self.shared if b.names}
        tables |= {Predicate(b.name, len(b.names) - 1): (b.kinds[1:], b.names[1:]) for b in self.own}
        for predicate, columns in tables.items():
            inputs.setdefault(predicate, columns)
        return find_flow(self.core, inputs, (), time_kind, self.wanted.mixed)

    def _key_kind(self) -> str | None:
        kinds = [s.kinds[0] for s in self.sources if self._lifted(s)] + [b.kinds[0] for b in self.own]
        kind = None
        for other in kinds:
            kind = join(kind, other)
        if len(set(map(carrier, kinds))) > 1:
            raise LaserError(f"the key {self.wanted.key} has different types in different inputs: cast it to one")
        return kind

    def _output(self, flow: Flow, predicate: Predicate, key: str | None) -> Shape:
        names = list(self.wanted.columns.get(str(predicate), self.wanted.columns.get(predicate.name, ())))
        names = names or flow.names[predicate]
        if len(names) != predicate.arity or len(set(names)) < len(names) or set(names) & set(RESERVED):
            raise LaserError(f"{predicate} has {predicate.arity} columns, and cannot be called {', '.join(names)}")
        if key is None:
            return Shape(predicate, tuple(flow.of(predicate)), tuple(names))
        first = str(self.wanted.key) + "_" * (self.wanted.key in names)
        lifted = Predicate(predicate.name, predicate.arity + 1)
        return Shape(lifted, (key, *flow.of(predicate)), (first, *names))

    def _shipped(self, mode: Mode) -> Program:
        """The program without its facts, which travel with the other background data."""
        rest = tuple(s for s in self.program.statements if not isinstance(s, tree.Fact))
        program = Program(rest, self.program.source, self.program.name)
        return lift(program, self.static) if mode == "lifted" else program

    def _is_bound(self, rule: Any) -> bool:
        """Whether a positive atom of what is divided says which key a rule derives for."""
        return any(
            isinstance(e, ExtendedAtom) and not e.negated and not e.absent and e.predicate not in self.static
            for e in rule.body
        )

    def _atoms(self, tables: Sequence[Background]) -> list[Atom]:
        return to_atoms([fact for table in tables for fact in table.facts])
