"""Saving and restoring a run: the facts that the inputs still need, as plain JSON; everything else is derived again.

The format (version 2) is a JSON object in UTF-8:

    {"format": "laser-state", "version": 2, "program": fingerprint, "sha256": of the state's JSON,
     "state": {"start": …, "time": …, "streamed": [[name, arity], …],
               "inputs": {id: [[fact, time], …], …},
               "arrivals": {"total": …, "facts": [[fact, time], …], "present": [fact, …]},
               "latest": {id: [[fact, time, number], …], …},
               "records": {predicate: [[atom, since, until], …], …}}}

``records`` has the recorded intervals that the program can still see; ``latest`` has the facts of each ``[last n per X]`` in the order of arrival. Each is there only if the program needs it.

A fact is a list of its name and values; an IRI among the values is ``{"iri": "…"}``, an integer of more than 14,000 bits
``{"int": "0x…"}``. Nothing in a state is executed. The checksum is not a signature: a state that no run can have saved is refused
when it is read, so that no reasoner fails later because of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from laser.engine.arrivals import Dump, Moved
from laser.engine.inputs import Input
from laser.engine.inputs.input import Row
from laser.engine.latest import Numbered
from laser.engine.machine import Machine
from laser.engine.records import Record, SpellRow
from laser.engine.relation import Key
from laser.errors import FactError, LimitError, StateError, TimeError
from laser.plan.nodes import Feed, Points
from laser.rules.rule import ResolvedProgram
from laser.ticks import check_time
from laser.values import Predicate, check_predicate_name, from_json, to_json
from laser.windows import LastOf

__all__ = ["FORMAT", "VERSION", "copy_inputs", "decode", "encode"]

FORMAT, VERSION = "laser-state", 2

MOST_POINTS = 2**25
"""The most time points that a restored window may have: a year of seconds. A normal run has them only if it saw each of them."""


# -- writing


def encode(machine: Machine, start: int | None) -> bytes:
    """A machine's state as bytes, with the start of the timeline if it is known."""
    total, facts, present, latest = machine.arrivals.dump(machine.time)
    state = {
        "start": start,
        "time": machine.time,
        "streamed": sorted([p.name, p.arity] for p in machine.plan.also_streamed),
        "inputs": {name: _in_order(map(_plain_row, set(saved.dump()))) for name, saved in _saved(machine).items()},
        "arrivals": {
            "total": total,
            "facts": [_plain_row(row) for row in facts],
            "present": _in_order(map(_plain_fact, present)),
        },
    }
    if latest:  # a separate part, so that states of other programs do not change
        state["latest"] = {_name(window.id): list(map(_plain_row, rows)) for window, rows in latest.items()}
    if machine.records:
        state["records"] = {
            str(predicate): _in_order(map(_plain_row, record.dump(machine.time)))
            for predicate, record in machine.records.items()
        }
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    head = {"format": FORMAT, "version": VERSION, "program": machine.plan.program.fingerprint}
    head["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return (json.dumps(head)[:-1] + ', "state": ' + text + "}\n").encode()


def _saved(machine: Machine) -> dict[str, Input]:
    """The inputs that facts of the stream feed, by their ids; the others follow from the arrivals, the clock and the program."""
    return {_name(i.node.id): i for i in machine.inputs if i.node.feed is Feed.STREAM}


def _name(parts: tuple[str | int, ...]) -> str:
    return " ".join(map(str, parts))


def _in_order(rows: Iterable[Any]) -> list[Any]:
    """A set as a sorted list, so that equal states have equal bytes."""
    return sorted(rows, key=json.dumps)


def _plain_row(row: Row) -> list[Any]:
    return [_plain_fact(row[0]), *row[1:]]


def _plain_fact(fact: Key) -> list[Any]:
    return list(map(to_json, fact))


# -- reading


def decode(
    data: bytes, program: ResolvedProgram, make: Callable[[frozenset[Predicate]], Machine]
) -> tuple[Machine, int | None]:
    """A machine and its start from bytes, or StateError; ``make`` creates a machine for a set of streamed predicates."""
    state = _read(data, program)
    try:
        return _restore(state, program, make)
    except LimitError:
        raise StateError("the state is damaged: its facts derive more than a run can") from None
    except (ValueError, FactError, TimeError) as error:
        raise StateError(f"the state is damaged: {error}") from None


def _read(data: bytes, program: ResolvedProgram) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        raise StateError("this is not a saved state of Laser: it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise StateError("this is not a saved state of Laser")
    _check_version(document.get("version"))
    if document.get("program") != program.fingerprint:
        raise StateError(
            "the state belongs to another program: its rules, constants, tick or background data differ from those given"
        )
    state = document.get("state")
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    if not isinstance(state, dict) or hashlib.sha256(text.encode()).hexdigest() != document.get("sha256"):
        raise StateError("the state is damaged: its checksum does not match")
    return state


def _check_version(version: object) -> None:
    if version == 1:
        raise StateError(
            "the state has version 1, which this Laser cannot read. "
            "Start a new reasoner, and feed it the facts that its windows still need"
        )
    if version != VERSION:
        raise StateError(f"the state has version {version}; this Laser reads version {VERSION}")


def _restore(
    state: dict[str, Any], program: ResolvedProgram, make: Callable[[frozenset[Predicate]], Machine]
) -> tuple[Machine, int | None]:
    known: dict[str, type | None] = {"start": None, "time": int, "streamed": list, "inputs": dict, "arrivals": dict}
    parts = _parts(state, known | {name: dict for name in ("latest", "records") if name in state})
    start = None if parts["start"] is None else check_time(parts["start"])
    machine = make(_streamed(parts["streamed"], program))
    windows = {_name(window.id): window for window in machine.arrivals.latest}
    latest = _parts(parts.get("latest", {}), dict.fromkeys(windows, list))
    records = {str(predicate): record for predicate, record in machine.records.items()}
    spells = _parts(parts.get("records", {}), dict.fromkeys(records, list))
    saved = _saved(machine)
    contents = _parts(parts["inputs"], dict.fromkeys(saved, list))
    arrivals = _parts(parts["arrivals"], {"total": int, "facts": list, "present": list})
    if parts["time"] == -1:
        if any(contents.values()) or any(arrivals.values()) or any(latest.values()) or any(spells.values()):
            raise ValueError("it has facts from before the timeline begins")
        return machine, start
    timeline = _timeline(start, check_time(parts["time"]))
    numbered = {windows[name]: list(map(timeline.numbered, rows)) for name, rows in latest.items()}
    machine.arrivals.load(_arrivals(timeline, numbered, **arrivals), timeline.time)
    rows = {saved[name].number: timeline.rows(content, machine, saved[name]) for name, content in contents.items()}
    for name, record in records.items():
        record.load([timeline.spell(row, record) for row in spells[name]], timeline.time)
    for relation in machine.inputs:
        relation.load(rows.get(relation.number, ()), timeline.time, timeline.start)
    _rederive(machine, timeline)
    for record in machine.records.values():
        if not machine.agrees(record):
            raise ValueError(f"its record of {record.predicate} does not follow from its facts")
    return machine, start


def _parts(data: dict[str, Any], types: dict[str, type | None]) -> dict[str, Any]:
    """The parts of an object, which must have exactly these, each of its type; None allows any type."""
    if data.keys() != types.keys():
        raise ValueError(f"it has the parts {sorted(data)}, not {sorted(types)}")
    for name, wanted in types.items():
        if wanted is not None and type(data[name]) is not wanted:
            raise ValueError(f"{name} has the type {type(data[name]).__name__}")
    return data


def _streamed(data: list[Any], program: ResolvedProgram) -> frozenset[Predicate]:
    """The predicates that arrive in the stream although rules derive them or background data has them."""
    written = {json.dumps(predicate): predicate for predicate in program.derived | program.given}
    if not written.keys() >= {json.dumps(pair) for pair in data}:
        raise ValueError(f"some of {data!r} cannot have arrived in the stream")
    return frozenset(written[json.dumps(pair)] for pair in data)


def _arrivals(
    timeline: _Timeline, latest: dict[LastOf, list[Numbered]], total: int, facts: list[Any], present: list[Any]
) -> Dump:
    rows: Moved = [(fact, time) for fact, time in (timeline.row(row, 1) for row in facts)]
    return Dump(total, rows, [timeline.fact(fact) for fact in present], latest)


def _rederive(machine: Machine, timeline: _Timeline) -> None:
    """Derive everything from the inputs; a recursion that no run can have evaluated tick by tick is stopped."""
    for relation in machine.inputs:
        if isinstance(relation.node, Points):
            window = relation.node.window
            points = window.points(timeline.time, timeline.start, machine.arrivals)
            waiting = min(timeline.time - timeline.start, window.reach.ticks or 0)
            if max(points.stop - points.start, waiting) > MOST_POINTS:
                raise ValueError(f"its timeline has more than {MOST_POINTS:,} time points, too many to restore")
    keys = sum(len(relation.live()) for relation in machine.inputs)
    machine.rederive(timeline.time, timeline.start, machine.limit * (1 + keys))


def _timeline(start: int | None, time: int) -> _Timeline:
    if start is None or start > time:
        raise ValueError(f"the timeline begins at {start}, after the present, {time}")
    return _Timeline(start, time)


@dataclass(frozen=True)
class _Timeline:
    """The timeline from the start to the present, in which all times of facts must be."""

    start: int
    time: int

    def rows(self, data: list[Any], machine: Machine, relation: Input) -> list[Row]:
        """The rows of an input, without repetitions, all of its predicate."""
        rows = [self.row(row, relation.ROW_TIMES) for row in data]
        signature = machine.signatures[relation.number]
        if any((row[0][0], len(row[0])) != signature for row in rows):
            raise ValueError(f"a fact in {relation.node} has another predicate")
        if len(set(rows)) != len(rows):
            raise ValueError(f"a fact in {relation.node} occurs twice")
        return rows

    def row(self, data: Any, times: int) -> Row:
        """A fact with its times, in order."""
        if type(data) is not list or len(data) != 1 + times:
            raise ValueError(f"{data!r} is not a fact with its time")
        points = [self.start, *data[1:], self.time]
        if not all(type(point) is int for point in points) or points != sorted(points):
            raise ValueError(f"{data!r} is outside of the timeline, from {self.start} to {self.time}")
        return (self.fact(data[0]), *data[1:])

    def spell(self, data: Any, record: Record) -> SpellRow:
        """A recorded key with the first and the last time point of a spell."""
        key, since, until = self.row(data, 2)
        if (key[0], len(key) - 1) != record.predicate:
            raise ValueError(f"a spell of {record.predicate} has another predicate")
        return key, since, until

    def numbered(self, data: Any) -> Numbered:
        """A fact with its time and its number."""
        if type(data) is not list or len(data) != 3 or type(data[2]) is not int or data[2] < 0:
            raise ValueError(f"{data!r} is not a fact with its time and its number")
        fact, time = self.row(data[:2], 1)
        return fact, time, data[2]

    def fact(self, data: Any) -> Key:
        if type(data) is not list or not data:
            raise ValueError(f"{data!r} is not a fact")
        return (check_predicate_name(data[0]), *map(from_json, data[1:]))


# -- copying


def copy_inputs(source: Machine, target: Machine) -> Machine:
    """Bring another machine for the same program to the state of a running one."""
    target.arrivals.load(source.arrivals.dump(source.time), source.time)
    for predicate, record in target.records.items():
        if predicate in source.records:
            record.load(source.records[predicate].dump(source.time), source.time)
    contents = {relation.node: relation for relation in source.inputs}
    for relation in target.inputs:
        rows = contents[relation.node].dump() if relation.node in contents else ()
        relation.load(rows, source.time, source.start)
    target.rederive(source.time, source.start)
    return target
