"""What a worker needs to know to reason about its part: plain data, made by the driver, the same for all parts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import assert_never

from laser.checks.accept import accept
from laser.engine.reasoner import Reasoner
from laser.engine.state import fingerprint
from laser.settings import RunSettings
from laser.spark.layout import Layout
from laser.spark.partition import ByKey, Lifted, Partition, PerKey, Whole, with_buckets
from laser.syntax.program import Program
from laser.values import Atom
from laser.windows import Reach

__all__ = ["Job"]


@dataclass(frozen=True)
class Job:
    """A program with its run's settings, how the stream is divided, and the layouts of what goes in and comes out."""

    program: Program
    inputs: Layout
    outputs: Layout
    partition: Partition
    settings: RunSettings
    """With the background data that are the same for all keys."""
    reach: Reach
    own_background: tuple[Atom, ...] = ()
    """Background data of one key each, which is their first argument, where the partition adds a key."""

    def in_buckets(self, buckets: int) -> Job:
        return replace(self, partition=with_buckets(self.partition, buckets))

    def reasoner(self, start: int, background: tuple[Atom, ...]) -> Reasoner:
        return Reasoner.of(self.program, replace(self.settings, start=start, background=background))

    def background_of(self, bucket: int) -> tuple[Atom, ...]:
        """The background data of one part, without those of keys that lie elsewhere."""
        match self.partition:
            case ByKey() as by_key:
                return tuple(atom for atom in self.settings.background if by_key.belongs(atom, bucket))
            case Whole() | Lifted() | PerKey():
                return self.settings.background
            case _:
                assert_never(self.partition)

    def own_of(self, bucket: int) -> list[Atom]:
        return [atom for atom in self.own_background if self.partition.belongs(atom, bucket)]

    @property
    def fingerprint(self) -> str:
        """What identifies this job: a state of another one is of no use."""
        background = (*self.settings.background, *self.own_background)
        core = accept(self.program, replace(self.settings, background=background))
        rest = (self.inputs, self.outputs, self.partition, self.settings.start)
        return hashlib.sha256(f"{fingerprint(core)}{rest!r}".encode()).hexdigest()
