"""Makes a job from a request: its inputs, how the stream is divided, and the columns of the answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import DataFrame

from laser.checks.accept import accept
from laser.errors import LaserError
from laser.rules.body import ExtendedAtom
from laser.rules.column_names import are_distinct
from laser.rules.partition_key import find_key
from laser.rules.reach import is_bounded, reach
from laser.rules.rule import ResolvedProgram, Rule
from laser.spark.background import Background
from laser.spark.column_types import Flow, find_flow
from laser.spark.columns import carrier, join, static_type
from laser.spark.job import Job
from laser.spark.layout import Layout, PredicateColumns
from laser.spark.lift import counts_keys, lift
from laser.spark.partition import ByKey, Lifted, Partition, PerKey, Whole
from laser.spark.request import Request
from laser.spark.selection import is_selected, needed_by
from laser.spark.sources import Source
from laser.syntax import tree
from laser.syntax.program import Program
from laser.values import Atom, Predicate
from laser.values.facts import to_atoms
from laser.values.static_type import ANY
from laser.windows import Reach

__all__ = ["Prepared", "facts_of_source", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """A job with its sources; ``clocks`` only move the time. ``why`` explains how the stream is divided."""

    job: Job
    sources: tuple[Source, ...]
    clocks: tuple[Source, ...]
    keys: Mapping[Predicate, str]
    """The column of the key in each source."""
    dated: bool
    why: str

    @property
    def all_sources(self) -> tuple[Source, ...]:
        """The sources in an order that does not depend on the rules, because a checkpoint identifies them by position."""
        return tuple(sorted((*self.sources, *self.clocks), key=lambda source: source.predicate))


def prepare(request: Request) -> Prepared:
    """Check and plan a run; LaserError or ProgramError if something is wrong, before anything runs."""
    request = replace(request, settings=replace(request.settings, dates=_is_dated(request.sources)))
    bare = accept(request.program, request.settings)
    lifted = _lifted_key(request, bare)
    shared, own = _divide_background(request.background, lifted, bare)
    core = accept(request.program, replace(request.settings, background=_atoms(shared)))
    given = [_fit(_declared(source, request.program), bare, lifted) for source in request.sources]
    past = reach(core, {source.program_predicate for source in given})
    sources, clocks = _read_sources(core, given, past.tuples, lifted)
    sources = _in_order(sources, past)
    inputs = {source.program_predicate for source in sources}
    static = _static(core, inputs, own)
    partition, why = _partition(request, core, sources, static, lifted, past.tuples)
    why += "; not by time, because the last facts of a key may be of any age" if past.latest else ""
    why += "; not by time, because rules look at what was recorded" if core.recorded and past.ticks is None else ""
    flow = _flow(replace(core, background=_untyped(core, shared)), sources, (*shared, *own), request.mixed)
    job = Job(
        rules=_without_facts(request.program),
        inputs=Layout.of(PredicateColumns(s.predicate, s.kinds, s.args) for s in sources),
        outputs=_outputs(request, core, flow, lifted, _key_kind(sources, own, lifted)),
        partition=partition,
        settings=replace(request.settings, background=tuple(sorted(core.background)), dates=core.dates),
        reach=past,
        own_background=tuple(sorted(_atoms(own))),
        streams=tuple(sorted(str(source.predicate) for source in given)),
        keep=request.keep,
        has_records=past.ticks is None and is_bounded(core, inputs),
    )
    job = replace(job, needed=needed_by(job, sources))
    return Prepared(job, tuple(sources), tuple(clocks), _key_columns(partition, sources), core.dates, why)


def facts_of_source(prepared: Prepared, source: Source) -> DataFrame:
    """The facts of an input in the layout of the job; if the job does not need all facts, each says whether it can matter."""
    job = prepared.job
    selected = is_selected(source, job.selected) if job.selected else None
    return source.facts(job.inputs, prepared.keys.get(source.predicate), job.reach.counts_facts, selected)


# -- inputs


def _mentioned(core: ResolvedProgram) -> set[Predicate]:
    return set(core.reads | core.derived)


def _lifted_key(request: Request, core: ResolvedProgram) -> str | None:
    """The given key, if it is a column that the program does not have."""
    key = request.key
    if not isinstance(key, str):
        return None
    mentioned = _mentioned(core)
    known = {p.name for p in mentioned}
    relevant = [source for source in request.sources if source.name in known and key in source.types]
    if not relevant:
        raise LaserError(f"no input of the program has the key column {key}")
    named = [source for source in relevant if key in source.args and source.predicate in mentioned]
    if named and len(named) < len(relevant):
        raise LaserError(f"the key {key} is an argument of {named[0].predicate}, but not of {relevant[0].predicate}")
    return None if named else key


def _declared(source: Source, program: Program) -> Source:
    """A source with the columns that the program declares, in that order, if they have the declared types."""
    found = next((given for predicate, given in program.inputs.items() if predicate.name == source.name), None)
    if found is None:
        return source
    names = tuple(name for name, _ in found.fields)
    if len(source.args) != len(names) and set(names) <= set(source.args):
        source = replace(source, args=names)
    for arg, kind, (name, declared) in zip(source.args, source.kinds, found.fields, strict=False):
        if declared.static not in (ANY, *static_type(kind).widening()) and kind != "term":
            raise LaserError(
                f"input {source.name}: column {arg} is {kind}, but the program declares {name} as {declared.value}: cast the column"
            )
    return source


def _fit(source: Source, core: ResolvedProgram, lifted: str | None) -> Source:
    """A source whose columns are the arguments in the program, after the lifted key if there is one."""
    mentioned = {p.arity for p in _mentioned(core) if p.name == source.name}
    args = tuple(arg for arg in source.args if arg != lifted)
    if mentioned and len(args) not in mentioned:
        wants = " and ".join(f"{source.name}/{arity}" for arity in sorted(mentioned))
        raise LaserError(
            f"the program reads {wants}, but the input {source.name} has {len(args)} columns for arguments "
            f"({', '.join(args) or 'none'}): name the columns to use, as in Input(table, args=[…])"
        )
    if lifted is None:
        return source
    if lifted in source.types:
        return replace(source, args=(lifted, *args), is_lifted=True)
    if mentioned:
        raise LaserError(f"input {source.name} has no key column {lifted}")
    return replace(source, args=args)


def _read_sources(
    core: ResolvedProgram, given: Sequence[Source], tuples: int, lifted: str | None
) -> tuple[list[Source], list[Source]]:
    """The sources that the program reads, and those that only move the time (unless tuple windows count them)."""
    if len({source.predicate for source in given}) < len(given):
        raise LaserError("two inputs are for the same predicate: combine their DataFrames first, with union")
    mentioned = _mentioned(core)
    sources = [source for source in given if tuples or source.program_predicate in mentioned]
    if tuples and lifted is not None and not all(source.is_lifted for source in sources):
        raise LaserError(f"a tuple window counts every input, so every input needs the key {lifted}")
    return sources, [source for source in given if source not in sources]


def _in_order(sources: Sequence[Source], past: Reach) -> list[Source]:
    """The sources with their order columns, if the order of arrival matters: of all facts, or of each predicate."""
    if not past.counts_facts:
        return [replace(source, order=None) for source in sources]
    if not past.tuples:
        return list(sources)
    without = [source.name for source in sources if source.order is None]
    if without and len(without) < len(sources):
        raise LaserError(
            f"a tuple window counts facts in the order of arrival, but input {without[0]} has no order column"
        )
    if len({source.is_numbered for source in sources}) > 1:
        raise LaserError(
            "the order is a number in some inputs and a timestamp in others: convert one to the other first"
        )
    return list(sources)


def _is_dated(sources: Sequence[Source]) -> bool:
    dated = {source.is_dated for source in sources}
    if len(dated) > 1:
        raise LaserError("the times are dates in some inputs and numbers in others: convert one to the other first")
    return dated == {True}


# -- background data


def _divide_background(
    background: Sequence[Background], lifted: str | None, core: ResolvedProgram
) -> tuple[list[Background], list[Background]]:
    """Background tables for all keys, and those that have the lifted key as a column."""
    if lifted is None:
        return list(background), []
    mentioned = _mentioned(core)
    own = [b for b in background if lifted in b.names and Predicate(b.name, len(b.names) - 1) in mentioned]
    return [b for b in background if b not in own], [b.led_by(lifted) for b in own]


def _static(core: ResolvedProgram, inputs: Collection[Predicate], own: Sequence[Background]) -> set[Predicate]:
    """Predicates that have only background data, the same for all keys."""
    known = _mentioned(core) | {atom.signature for atom in core.background}
    return known - core.derived - set(inputs) - {table.program_predicate for table in own}


def _untyped(core: ResolvedProgram, tables: Sequence[Background]) -> frozenset[Atom]:
    """Background data without columns; those of a table have the types of its columns."""
    typed = [table for table in tables if table.names]
    return core.background.difference(_atoms(typed)) if typed else core.background


def _atoms(tables: Iterable[Background]) -> tuple[Atom, ...]:
    return tuple(to_atoms([fact for table in tables for fact in table.facts]))


# -- partition


def _partition(
    request: Request,
    core: ResolvedProgram,
    sources: Sequence[Source],
    static: Collection[Predicate],
    lifted: str | None,
    tuples: int,
) -> tuple[Partition, str]:
    """How the stream is divided, and why."""
    if lifted is None:
        return _by_key(request.key, core, sources, static)
    everywhere = {atom.signature for atom in core.background} - set(static)
    if tuples or everywhere:
        return PerKey(), f"lifted over {lifted}, a reasoner for each"
    counted = counts_keys(lift(request.program, static))
    return Lifted(counts_keys=counted, shared=frozenset(static)), f"lifted over {lifted}"


def _by_key(
    key: str | bool | None, core: ResolvedProgram, sources: Sequence[Source], static: Collection[Predicate]
) -> tuple[Partition, str]:
    """Divided by a key of the program, if it has one and it is not forbidden."""
    if key is False:
        return Whole(), "one stream, because key=False"
    fixed = {s.predicate: s.args.index(key) for s in sources if key in s.args} if isinstance(key, str) else {}
    found = find_key(core, {source.predicate for source in sources}, fixed)
    if not found and fixed:
        raise LaserError(f"the stream cannot be divided by {key}: {found.reason}")
    terms = [s.predicate for s in sources if found and s.kinds[found.positions.get(s.predicate, 0)] == "term"]
    if not found or terms:
        return Whole(), f"one stream: {found.reason or f'the key of {terms[0]} is a column of terms'}"
    drops_foreign = not all(_says_its_key(rule, static) for rule in core.rules)
    return ByKey(positions=dict(found.positions), drops_foreign=drops_foreign), f"by key: {found}"


def _says_its_key(rule: Rule, static: Collection[Predicate]) -> bool:
    """Whether a positive atom over divided data binds the key for which a rule derives."""
    return any(isinstance(e, ExtendedAtom) and e.is_positive and e.predicate not in static for e in rule.body)


def _key_columns(partition: Partition, sources: Sequence[Source]) -> dict[Predicate, str]:
    places = [(source, partition.key_position(source.predicate)) for source in sources]
    return {source.predicate: source.args[place] for source, place in places if place is not None}


def _without_facts(program: Program) -> Program:
    """The program without its facts, which are sent with the other background data."""
    rest = tuple(s for s in program.statements if not isinstance(s, tree.Fact))
    return Program(rest, program.source, program.name, program.included)


# -- columns


def _flow(core: ResolvedProgram, sources: Sequence[Source], tables: Iterable[Background], mixed: bool) -> Flow:
    inputs = {s.program_predicate: (s.kinds[s.is_lifted :], s.args[s.is_lifted :]) for s in sources}
    for table in tables:
        if table.names:
            columns = (table.kinds[table.is_lifted :], table.names[table.is_lifted :])
            inputs.setdefault(table.program_predicate, columns)
    return find_flow(core, inputs, mixed)


def _key_kind(sources: Sequence[Source], own: Sequence[Background], lifted: str | None) -> str | None:
    kinds = [source.kinds[0] for source in sources if source.is_lifted] + [table.kinds[0] for table in own]
    if len(set(map(carrier, kinds))) > 1:
        raise LaserError(f"the key {lifted} has different types in different inputs: cast them to one type")
    return reduce(join, kinds, None)


def _outputs(request: Request, core: ResolvedProgram, flow: Flow, lifted: str | None, key_kind: str | None) -> Layout:
    shown = [predicate for predicate in sorted(core.derived) if core.shows(predicate)]
    plain = [PredicateColumns(p, tuple(flow.of(p)), _names(request, flow, p)) for p in shown]
    if lifted is None or key_kind is None:
        return Layout.of(plain)
    return Layout.of(columns.led_by(lifted, key_kind) for columns in plain)


def _names(request: Request, flow: Flow, predicate: Predicate) -> tuple[str, ...]:
    """The names that the user gave to the columns of a predicate, or those of the columns that its values come from."""
    names = tuple(request.columns.get(str(predicate), request.columns.get(predicate.name, ())))
    names = names or tuple(flow.names[predicate])
    if len(names) != predicate.arity or not are_distinct(names):
        raise LaserError(f"{predicate} needs {predicate.arity} different column names, not {', '.join(names)}")
    return names
