"""The output as a set, kept up to date from changes for callers who ask for it again and again."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from laser.engine.machine import Machine, Shift
from laser.engine.relation import Key
from laser.terms import Atom

__all__ = ["Snapshot", "atoms_of"]


def atoms_of(name: str, keys: Collection[Key]) -> Iterable[Atom]:
    """Atoms of a predicate from keys of one relation, which share their label."""
    if _are_named(name, keys):
        return map(Atom.of, keys)
    first = (name,)
    return [Atom.of(first + key[1:]) for key in keys]


def _flat(name: str, keys: Collection[Key]) -> Iterable[Key]:
    """The same as tuples, which are enough to find atoms by."""
    if _are_named(name, keys):
        return keys
    first = (name,)
    return [first + key[1:] for key in keys]


def _are_named(name: str, keys: Collection[Key]) -> bool:
    return not keys or next(iter(keys))[0] == name


class Snapshot:
    """What holds now. Nothing is kept for a caller who never asks, and little for one who asked once."""

    def __init__(self) -> None:
        self._atoms: set[Atom] | None = None
        self._unseen: list[Shift] = []
        self._size = 0

    def note(self, shifts: Iterable[Shift]) -> None:
        """Changes that the set does not have yet; when they outgrow it, making it anew is cheaper."""
        if self._atoms is None:
            return
        for shift in shifts:
            self._unseen.append(shift)
            self._size += len(shift.begun) + len(shift.ended)
        if self._size > len(self._atoms) + 1000:
            self.forget()

    def forget(self) -> None:
        self._atoms, self._unseen, self._size = None, [], 0

    def of(self, machine: Machine) -> frozenset[Atom]:
        """The output of a machine all of whose changes were noted."""
        if self._atoms is None:
            self._atoms = {atom for name, keys in machine.holding() for atom in atoms_of(name, keys)}
        for shift in self._unseen:
            self._atoms.difference_update(_flat(shift.name, shift.ended))
            self._atoms.update(atoms_of(shift.name, shift.begun))
        self._unseen, self._size = [], 0
        return frozenset(self._atoms)
