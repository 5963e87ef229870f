"""What a worker needs to know to reason about its part: plain data, made by the driver, the same for all parts."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from laser.checks.accept import accept
from laser.engine.reasoner import Reasoner
from laser.engine.state import fingerprint
from laser.settings import DEFAULT_LIMIT, RunSettings
from laser.spark.layout import Layout
from laser.spark.lift import KNOWN
from laser.syntax import tree
from laser.syntax.program import Program
from laser.ticks import Tick
from laser.values import Atom, Predicate, Value

__all__ = ["Job", "Mode", "bucket_of"]

Mode = Literal["whole", "keyed", "lifted", "apart"]
"""One stream; divided by a key of the program; lifted over a key; a reasoner for each key."""

_FAR = 9.0e18


def bucket_of(value: Value, buckets: int) -> int:
    """The bucket of a key: the same for equal numbers, and the same as ``facts.bucket_column`` says in SQL."""
    if isinstance(value, float):
        value = int(value // 1) if abs(value) < _FAR else "far"
    text = value if isinstance(value, str) else str(value)
    return zlib.crc32(text.encode()) % buckets


@dataclass(frozen=True)
class Job:
    """A program with its run's settings, its cut, and the layouts of what goes in and comes out."""

    program: Program
    inputs: Layout
    outputs: Layout
    mode: Mode = "whole"
    buckets: int = 1
    positions: Mapping[Predicate, int] = field(default_factory=dict)
    """Where the key is, in the mode ``keyed``."""
    checked: bool = False
    """Whether a part may derive atoms of foreign keys, which do not count."""
    background: tuple[Atom, ...] = ()
    """Background data that are the same for all keys."""
    own_background: tuple[Atom, ...] = ()
    """Background data of one key each, which is their first argument, in the modes ``lifted`` and ``apart``."""
    constants: Mapping[str, Any] = field(default_factory=dict)
    tick: Tick = field(default_factory=Tick)
    start: int | None = None
    reach: int | None = 0
    tuples: int = 0
    limit: int = DEFAULT_LIMIT

    @cached_property
    def counts_keys(self) -> bool:
        """Whether a lifted program asks which keys there are; most rules know theirs from a fact."""
        literals = (e for rule in self.program.rules for e in rule.body if isinstance(e, tree.Literal))
        return any(literal.atom.name == KNOWN for literal in literals)

    def reasoner(self, start: int, background: tuple[Atom, ...]) -> Reasoner:
        settings = RunSettings(
            start=start, background=background, constants=self.constants, tick=self.tick, limit=self.limit
        )
        return Reasoner.of(self.program, settings)

    def background_of(self, bucket: int) -> tuple[Atom, ...]:
        """The background data of one part, without those of keys that lie elsewhere."""
        return tuple(filter(self._belongs(bucket), self.background)) if self.mode == "keyed" else self.background

    def own_of(self, bucket: int) -> list[Atom]:
        return [atom for atom in self.own_background if bucket_of(atom[1], self.buckets) == bucket]

    def _belongs(self, bucket: int) -> Callable[[Atom], bool]:
        def belongs(atom: Atom) -> bool:
            position = self.positions.get(atom.signature)
            return position is None or bucket_of(atom[position + 1], self.buckets) == bucket

        return belongs

    @property
    def fingerprint(self) -> str:
        """What identifies this job: a state of another one is of no use."""
        background = (*self.background, *self.own_background)
        core = accept(self.program, RunSettings(constants=self.constants, tick=self.tick, background=background))
        rest = (self.inputs, self.outputs, self.mode, self.buckets, sorted(self.positions.items()), self.start)
        return hashlib.sha256(f"{fingerprint(core)}{rest!r}".encode()).hexdigest()
