"""Answers as changes, snapshots and intervals. Changes are built lazily, because most callers read few of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from itertools import groupby, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from laser.values import Atom, Predicate, value_order

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Batch", "Change", "Changes", "Interval", "IntervalBuilder", "Key", "Runs", "Shift", "Snapshot", "changes_by_time", "merge", "overlapping",
]  # fmt: skip

Key: TypeAlias = tuple[Any, ...]
"""The flat tuple of an atom: a label and the values."""

K = TypeVar("K")
Span = TypeVar("Span", bound=tuple[Any, ...])

MOST_ROWS = 200
"""The number of changes of one call that a notebook shows."""


class Shift(NamedTuple):
    """The changes in the output of one predicate at one time point.

    Keys are in the form of the engine: their values are the arguments, but their label may belong to another predicate that
    they were copied from.
    """

    time: int
    predicate: Predicate
    label: str
    begun: Collection[Key]
    ended: Collection[Key]

    def labelled(self, label: str) -> Shift:
        """The same with this label on its keys; keys that already have the label are not touched."""
        if label == self.label:
            return self
        first = (label,)
        begun, ended = ([first + key[1:] for key in keys] for keys in (self.begun, self.ended))
        return Shift(self.time, self.predicate, label, begun, ended)

    def apply(self, atoms: set[Atom]) -> None:
        """Update a set of the atoms that held before."""
        named = self.labelled(self.predicate.name)
        atoms.difference_update(named.ended)  # an atom is found by its flat tuple
        atoms.update(map(Atom.of, named.begun))


class Batch(NamedTuple):
    """The changes of one predicate at one time point: the arguments of the atoms that began and that ceased to hold.

    The rows are not ordered.
    """

    time: int
    predicate: Predicate
    added: list[tuple[Any, ...]]
    removed: list[tuple[Any, ...]]


class Interval(NamedTuple):
    """A maximal run of time points at which an atom is in the output."""

    atom: Atom
    since: int
    until: int


class Change(NamedTuple):
    """At ``time``, ``atom`` began to hold (``holds`` is true) or stopped holding."""

    time: int
    atom: Atom
    holds: bool

    def __str__(self) -> str:
        return f"{self.time} {'+' if self.holds else '-'} {self.atom}"


_change = partial(tuple.__new__, Change)
"""Builds a change in C, without a Python call, because readers build one for each row."""


_arguments = itemgetter(slice(1, None))
"""The row of a key: everything except its label."""


def _ordered(shift: Shift) -> list[Change]:
    """The changes of one predicate, in the order of atoms; if all values can be compared, tuples are compared directly."""
    began, ceased = (True,), (False,)
    rows = [key[1:] + began for key in shift.begun] + [key[1:] + ceased for key in shift.ended]
    try:
        rows.sort()
    except TypeError:
        rows.sort(key=lambda row: [*map(value_order, row[:-1]), row[-1]])
    time, name = shift.time, (shift.predicate.name,)
    return [_change((time, Atom.of(name + row[:-1]), row[-1])) for row in rows]


class Changes(Sequence[Change]):
    """The changes of one call, ordered by time, then by atom. Its length is known without building them."""

    __slots__ = ("_made", "_shifts")

    def __init__(self, shifts: list[Shift]) -> None:
        self._shifts = shifts
        self._made: list[Change] | None = None

    @property
    def shifts(self) -> Sequence[Shift]:
        """The same changes in the form of the engine, by time and predicate, without building or ordering atoms."""
        return self._shifts

    def _changes(self) -> list[Change]:
        if self._made is None:
            self._made = [change for shift in sorted(self._shifts, key=itemgetter(0, 1)) for change in _ordered(shift)]
        return self._made

    def batches(self) -> Iterator[Batch]:
        """The same changes by time and predicate, as rows of arguments: much faster than one by one.

        >>> from laser import Reasoner
        >>> for batch in Reasoner("hot(M) :- temp(M, V), V > 90.").advance(5, ["temp(oven, 95)"]).batches():
        ...     print(batch.time, batch.predicate, batch.added, batch.removed)
        5 hot/1 [('oven',)] []
        """
        for time, predicate, _, begun, ended in sorted(self._shifts, key=itemgetter(0, 1)):
            yield Batch(time, predicate, list(map(_arguments, begun)), list(map(_arguments, ended)))

    def to_arrow(self) -> dict[Predicate, pa.Table]:
        """The same changes as a table for each predicate, with the columns ``time``, ``holds``, ``arg1``, ``arg2`` and so on.

        A column has the type of its values if they all have the same type; otherwise it has text as in programs.
        """
        from laser.answers.arrow import tables_of

        return tables_of(self._shifts)

    def __len__(self) -> int:
        return sum(len(shift.begun) + len(shift.ended) for shift in self._shifts)

    def __iter__(self) -> Iterator[Change]:
        return iter(self._changes())

    @overload
    def __getitem__(self, index: int) -> Change: ...
    @overload
    def __getitem__(self, index: slice) -> list[Change]: ...
    def __getitem__(self, index: int | slice) -> Change | list[Change]:
        return self._changes()[index]

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Sequence) and self._changes() == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._changes())

    def _repr_html_(self) -> str:
        """A table for notebooks with the first changes: what began and what ceased, and when."""
        rows = [f"<tr><td>{c.time}<td>{'+' if c.holds else '−'}<td>{escape(str(c.atom))}" for c in self[:MOST_ROWS]]
        more = f"<p>… and {len(self) - MOST_ROWS} more" if len(self) > MOST_ROWS else ""
        return f"<table><tr><th>time<th><th>atom{''.join(rows)}</table>{more}" if rows else "<p>no change"


def changes_by_time(changes: Iterable[tuple[int, K, bool]]) -> Iterator[tuple[int, list[K], list[K]]]:
    """Changes of atoms in order of time: at each time point, what began and what ceased."""
    for time, group in groupby(changes, key=itemgetter(0)):
        divided: tuple[list[K], list[K]] = ([], [])
        for _, atom, holds in group:
            divided[not holds].append(atom)
        yield time, *divided


class Runs(NamedTuple, Generic[K]):
    """Maximal runs that end at the same time point, by column: the atoms, and the time since when each held."""

    atoms: Collection[K]
    since: Collection[int]
    until: int

    def rows(self) -> Iterator[tuple[K, int, int]]:
        """The same runs, one by one."""
        return zip(self.atoms, self.since, repeat(self.until), strict=False)


class IntervalBuilder(Generic[K]):
    """Builds intervals from changes. The caller decides what represents an atom: an atom, or the key of one predicate.

    It works on whole collections, because Spark's parts have millions of changes.

    >>> builder = IntervalBuilder[str]()
    >>> list(builder.take(3, ["a", "b"], []).rows()), list(builder.take(5, [], ["a"]).rows()), builder.still_open
    ([], [('a', 3, 4)], {'b': 3})
    """

    __slots__ = ("_since",)

    def __init__(self) -> None:
        self._since: dict[K, int] = {}

    @property
    def still_open(self) -> Mapping[K, int]:
        """What holds, and since when."""
        return self._since

    def take(self, time: int, begun: Collection[K], ended: Collection[K]) -> Runs[K]:
        """Take the changes of a time point; returns the runs that they end.

        A second call may revise a time point. A run may then be empty (it ends before it begins), and `reopen` restores an
        atom that still holds.
        """
        runs = Runs(ended, list(map(self._since.pop, ended)), time - 1)
        self._since.update(dict.fromkeys(begun, time))
        return runs

    def reopen(self, atom: K, since: int) -> None:
        """Restore an atom whose run `take` ended and that began again at the same time point: it never ceased."""
        self._since[atom] = since

    def finish(self, last: int) -> Runs[K]:
        """The runs of what still holds at the last time point, as far as is known."""
        runs = Runs(list(self._since), list(self._since.values()), last)
        self._since = {}
        return runs


def overlapping(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Spans (tuples that begin with their first and last time point), in order, grouped if they overlap or touch."""
    group: list[Span] = []
    last = 0
    for span in sorted(spans):
        if group and span[0] > last + 1:
            yield group
            group = []
        last = max(last, span[1]) if group else span[1]
        group.append(span)
    if group:
        yield group


def merge(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Spans, merged if they overlap or touch.

    >>> merge([(9, 9), (3, 4), (5, 5), (3, 8)])
    [(3, 9)]
    """
    return [(group[0][0], max(span[1] for span in group)) for group in overlapping(spans)]


class Holder(Protocol):
    """Something that can report what holds now as changes that begin now, such as a machine."""

    def holding(self) -> Iterable[Shift]: ...


class Snapshot:
    """What holds now. Nothing is stored for a caller who never asks, and little for a caller who asked once."""

    def __init__(self) -> None:
        self._atoms: set[Atom] | None = None
        self._unseen: list[Shift] = []
        self._size = 0

    def note(self, shifts: Iterable[Shift]) -> None:
        """Note changes that are not in the set yet; if there are more of them than atoms, rebuilding the set is cheaper."""
        if self._atoms is None:
            return
        for shift in shifts:
            self._unseen.append(shift)
            self._size += len(shift.begun) + len(shift.ended)
        if self._size > len(self._atoms) + 1000:
            self.forget()

    def forget(self) -> None:
        self._atoms, self._unseen, self._size = None, [], 0

    def of(self, machine: Holder) -> frozenset[Atom]:
        """The output of a machine whose changes have all been noted."""
        if self._atoms is None:
            self._atoms, self._unseen = set(), list(machine.holding())
        for shift in self._unseen:
            shift.apply(self._atoms)
        self._unseen, self._size = [], 0
        return frozenset(self._atoms)
