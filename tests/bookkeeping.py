"""The invariants that ``laser.engine.relation`` states, looked up in a running machine: nothing lost, nothing left over."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from laser import Reasoner
from laser.engine.inputs.latest import NewestOutput
from laser.engine.inputs.recent_sets import RecentSetsInput
from laser.engine.relation import FOREVER, Relation

__all__ = ["check_books"]


def check_books(reasoner: Reasoner) -> None:
    """AssertionError if the bookkeeping between two calls is not in order."""
    machine = reasoner._machine
    for relation in machine.relations:
        what = f"{relation.node} at {machine.time}"
        check_slate(relation, what)
        check_horizons(relation, machine.time, what)
        check_indexes(relation, what)


def check_slate(relation: Relation, what: str) -> None:
    delta = relation.delta
    for part in (delta.added, delta.removed, delta.shortened, delta.fired, delta._groups):
        assert not part, f"{what}: {part} is left over of the delta"
    assert not relation.revoked, f"{what}: something that was revoked is left over"
    assert not relation.promised, f"{what}: something that was promised is left over"


def check_horizons(relation: Relation, time: int, what: str) -> None:
    horizons = horizons_of(relation)
    assert set(horizons) == set(relation.live()), f"{what}: not every live key has a horizon"
    late = {key: h for key, h in horizons.items() if h < time}
    assert not late, f"{what}: these should be gone: {late}"
    opened = [h for h in relation.due if h < time]
    assert not opened, f"{what}: the buckets of {opened} were never opened"
    places: dict[Any, int] = {}
    for bucket, keys in relation.due.items():
        for key in keys:
            places[key] = min(bucket, places.get(key, bucket))
    for key, h in horizons.items():
        unscheduled = h >= FOREVER or (h == time and str(relation.node) == "time points in [0]")
        assert unscheduled or places.get(key, h + 1) <= h, f"{what}: {key} ends after {h} and nobody looks then"
    for bucket in relation.due:
        asked = relation.number in relation.agenda._due.get(bucket + 1, ())
        assert asked, f"{what}: a bucket is due after {bucket}, and the agenda does not know"
    if isinstance(relation, RecentSetsInput):
        check_output(relation, what)


def horizons_of(relation: Relation) -> dict[Any, int]:
    match relation:
        case RecentSetsInput():
            return relation.horizons()
        case NewestOutput():
            return dict.fromkeys(relation.live(), FOREVER)
        case _:
            return relation.alive


def check_output(relation: RecentSetsInput, what: str) -> None:
    """Each fact in one bucket, and nothing known of others."""
    assert sum(map(len, relation.due.values())) == len(relation.present), f"{what}: a fact is in two buckets"
    assert relation.renewed_until.keys() <= relation.present, f"{what}: a fact that is gone is known to have come again"
    assert relation.own <= relation.due.keys(), f"{what}: a bucket that is gone is owned"


def check_indexes(relation: Relation, what: str) -> None:
    for positions, index in relation.index.tables.items() if relation.index else ():
        found = {value: set(keys) for value, keys in index.items()}
        assert found == _index(relation.alive, positions), f"{what}: the index by {positions} is not that of the keys"
        assert all(map(len, index.values())), f"{what}: a value without keys is left over"
        repeated = [keys for keys in index.values() if len(set(keys)) < len(keys)]
        assert not repeated, f"{what}: these stand twice: {repeated}"


def _index(keys: Iterable[Any], positions: tuple[int, ...]) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for key in keys:
        values = tuple(key[p] for p in positions)
        found.setdefault(values[0] if len(values) == 1 else values, set()).add(key)
    return found
