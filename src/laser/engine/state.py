"""Saving and restoring a run: the inputs as plain JSON; everything derived is derived again.

The format (version 2) is a JSON object in UTF-8:

    {"format": "laser-state", "version": 2, "program": fingerprint, "sha256": of the state's JSON,
     "state": {"start": …, "time": …, "streamed": [[name, arity], …], "inputs": {node: content, …},
               "tail": {"total": …, "time": …, "facts": [[position, key, time], …], "present": [key, …]}}}

A key is a list of its name and values; an IRI among the values is ``{"iri": "…"}``, an integer of more than 14,000 bits ``{"int": "0x…"}``. Nothing that is read is executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from laser.engine.inputs import Input
from laser.engine.machine import Machine
from laser.engine.relation import Key
from laser.errors import FactError, StateError, TimeError
from laser.rules.rule import ResolvedProgram
from laser.ticks import check_time
from laser.values import BY_CLASS, Predicate, from_json

__all__ = ["FORMAT", "VERSION", "copy_inputs", "decode", "encode"]

FORMAT, VERSION = "laser-state", 2


def encode(machine: Machine, start: int | None) -> bytes:
    """A machine's state as bytes, with the start of the timeline where it is known."""
    state = {
        "start": start,
        "time": machine.time,
        "streamed": sorted([p.name, p.arity] for p in machine.plan.also_streamed),
        "inputs": {_id(relation): relation.dump() for relation in machine.inputs},
        "tail": _dump_tail(machine),
    }
    text = json.dumps(_plain(state), sort_keys=True, separators=(",", ":"))
    head = {"format": FORMAT, "version": VERSION, "program": machine.plan.program.fingerprint}
    head["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return (json.dumps(head)[:-1] + ', "state": ' + text + "}\n").encode()


def _plain(data: Any) -> Any:
    """The same data with values as JSON has them: an IRI would be a list."""
    match data:
        case dict():
            return {name: _plain(value) for name, value in data.items()}
        case list() if data and all(isinstance(value, list) for value in data):
            return sorted(map(_plain, data), key=json.dumps)  # a set of keys: the same state, the same bytes
        case list():
            return [_plain(value) for value in data]
        case _:
            known = BY_CLASS.get(type(data))
            return known.to_json(data) if known else data


def _dump_tail(machine: Machine) -> dict[str, Any]:
    tail = machine.arrivals
    return {
        "total": tail.total,
        "time": tail.time,
        "facts": [[position, list(fact), time] for position, (fact, time) in tail.facts.items()],
        "present": [list(fact) for fact in tail.present],
    }


def decode(
    data: bytes, program: ResolvedProgram, make: Callable[[frozenset[Predicate]], Machine]
) -> tuple[Machine, int | None]:
    """A machine and its start from bytes, or StateError; ``make`` makes one for a set of streamed predicates."""
    state = _read(data, program)
    try:
        machine = make(frozenset(Predicate(str(name), int(arity)) for name, arity in state["streamed"]))
        _load_tail(machine, state["tail"])
        for relation in machine.inputs:
            relation.load(state["inputs"][_id(relation)], _decode_key)
            _check_keys(relation)
        start = state["start"] if state["start"] is None else check_time(state["start"])
        _check_times(machine, state["time"], start)
        if state["time"] >= 0:
            machine.rederive(check_time(state["time"]), check_time(start))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, FactError, TimeError) as error:
        raise StateError(f"the state is damaged: {error!r}") from None
    return machine, start


def _check_keys(relation: Input) -> None:
    """Keys must be such as the node holds."""
    label, length = relation.node.label, relation.node.width + 1
    if any(key[0] != label or len(key) != length for key in relation.live()):
        raise ValueError(f"{relation.node} has a key of something else")


def _check_times(machine: Machine, time: int, start: int | None) -> None:
    """Nothing is known from before the start or from after the present."""
    if time >= 0 and (start is None or start > time):
        raise ValueError(f"the timeline begins at {start}, after the present {time}")
    points = [point for relation in machine.inputs for _, point in relation.evidence()]
    points += [point for _, point in machine.arrivals.facts.values()]
    if not all(type(point) is int and (start or 0) <= point <= time for point in points):
        raise ValueError("a fact lies outside of the timeline")
    if list(machine.arrivals.facts) != list(
        range(machine.arrivals.total - len(machine.arrivals.facts), machine.arrivals.total)
    ):
        raise ValueError("the last facts of the stream are not numbered one by one")


def _read(data: bytes, program: ResolvedProgram) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, TypeError, RecursionError):
        raise StateError("this is no saved state of Laser: it is not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise StateError("this is no saved state of Laser")
    _check_version(document.get("version"))
    if document.get("program") != program.fingerprint:
        raise StateError(
            "the state is of another program: its rules, constants, tick or background data differ from those given"
        )
    state = document.get("state")
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    if not isinstance(state, dict) or hashlib.sha256(text.encode()).hexdigest() != document.get("sha256"):
        raise StateError("the state is damaged: its checksum does not fit")
    return state


def _check_version(version: object) -> None:
    if version == 1:
        raise StateError(
            "the state has version 1, in which programs and inputs had other names: this Laser cannot read it. "
            "Feed the facts that are still in reach to a new reasoner"
        )
    if version != VERSION:
        raise StateError(f"the state has version {version}; this Laser reads version {VERSION}")


def _id(relation: Input) -> str:
    """What an input is called in a state."""
    return " ".join(map(str, relation.node.id))


def _decode_key(parts: Any) -> Key:
    return (str(parts[0]), *map(from_json, parts[1:]))


def _load_tail(machine: Machine, data: dict[str, Any]) -> None:
    tail = machine.arrivals
    tail.total = tail.before = int(data["total"])
    tail.time = int(data["time"])
    facts = sorted(data["facts"], key=itemgetter(0))
    tail.facts = {int(position): (_decode_key(fact), int(time)) for position, fact, time in facts}
    tail.first_kept = min(tail.facts, default=tail.total)
    tail.present = {_decode_key(fact) for fact in data["present"]}


def copy_inputs(source: Machine, target: Machine) -> Machine:
    """Bring another machine for the same program to the state of a running one."""
    target.arrivals.__dict__.update(source.arrivals.__dict__)
    target.arrivals.facts, target.arrivals.present = dict(source.arrivals.facts), set(source.arrivals.present)
    contents = {relation.node: relation for relation in source.inputs}
    for relation in target.inputs:
        if relation.node in contents:
            relation.load(contents[relation.node].dump(), tuple)
    target.rederive(source.time, source.start)
    return target
