"""What a worker needs to know about its part: plain data, made by the driver, the same for all parts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import assert_never

from laser.checks.accept import accept
from laser.engine.reasoner import Reasoner
from laser.errors import StateError
from laser.rules.selection import Selections
from laser.settings import RunSettings
from laser.spark.layout import Layout
from laser.spark.lift import lift
from laser.spark.partition import ByKey, Lifted, Partition, PerKey, Whole, with_buckets
from laser.syntax.program import Program
from laser.values import Atom
from laser.windows import Reach

__all__ = ["Job", "refuse_other"]

ID_VERSION = "3:"
"""The prefix of job ids, because earlier versions had others."""


@dataclass(frozen=True)
class Job:
    """A program with the settings of its run, how the stream is divided, and the layouts of inputs and outputs."""

    rules: Program
    """The program as given, without its facts."""
    inputs: Layout
    outputs: Layout
    partition: Partition
    settings: RunSettings
    """The settings, with the background data that are the same for all keys."""
    reach: Reach
    own_background: tuple[Atom, ...] = ()
    """Background data of single keys, with the key as first argument, if the partition adds a key."""
    streams: tuple[str, ...] = ()
    """The inputs of a stream, sorted, including those that no rule reads, because a checkpoint has the position of each."""
    keep: int = 0
    """The least number of ticks for which facts are kept, so that changed rules can use them."""
    has_records: bool = False
    """Whether rules need the whole stream only because of their records: then the records are saved instead of the facts."""
    needed: Selections = field(default_factory=dict)
    """The facts that can matter to the rules, for each input with facts that cannot."""
    complete_since: int = -1
    """The time since which a stream has read all selected facts, if that is not its beginning, because it selected fewer before."""

    @cached_property
    def program(self) -> Program:
        """The program that reasoners run: lifted, if the partition says so."""
        match self.partition:
            case Lifted(shared=shared):
                return lift(self.rules, shared)
            case Whole() | ByKey() | PerKey():
                return self.rules
            case _:
                assert_never(self.partition)

    @property
    def kept(self) -> int | None:
        """How far back the log of a stream reaches, in ticks; None if it keeps everything."""
        return None if self.reach.ticks is None else max(self.reach.ticks, self.keep)

    @property
    def selected(self) -> Selections:
        """The facts that are read. Facts that are kept for changed rules are all facts, because nobody knows what those will need."""
        return {} if self.keep else self.needed

    def in_buckets(self, buckets: int) -> Job:
        return replace(self, partition=with_buckets(self.partition, buckets))

    def reasoner(self, start: int, background: tuple[Atom, ...], saved: bytes | None = None) -> Reasoner:
        """A new reasoner, or one that continues from the result of ``Reasoner.save``."""
        settings = replace(self.settings, start=start, background=background)
        return Reasoner.of(self.program, settings, saved)

    def background_of(self, bucket: int) -> tuple[Atom, ...]:
        """The background data of one part, without those of keys in other parts."""
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
        """The id of this job: the state of another job is useless for it."""
        background = (*self.settings.background, *self.own_background)
        program = accept(self.program, replace(self.settings, background=background))
        content = {
            "program": program.fingerprint,
            "inputs": self.inputs.plain(),
            "outputs": self.outputs.plain(),
            "streams": self.streams,
            "partition": [self.partition.buckets, *_identity(self.partition)],
            "start": self.settings.start,
        }
        return ID_VERSION + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _identity(partition: Partition) -> list[object]:
    """How the stream is divided, as plain data."""
    match partition:
        case Whole():
            return ["whole"]
        case ByKey(positions=positions, drops_foreign=drops_foreign):
            return ["by key", sorted([*p, position] for p, position in positions.items()), drops_foreign]
        case Lifted(counts_keys=counts_keys):
            return ["lifted", counts_keys]
        case PerKey():
            return ["per key"]
        case _:
            assert_never(partition)


def refuse_other(found: str, expected: str) -> None:
    """Raise StateError if a checkpoint carries the id of another job than this one."""
    if found == expected:
        return
    if not found.startswith(ID_VERSION):
        raise StateError(
            "the checkpoint was made by an older version of Laser, which identified programs in another way "
            f"(its id does not begin with {ID_VERSION!r}). Begin with a new checkpoint"
        )
    raise StateError(
        "the checkpoint belongs to another program: its rules, constants, tick, start, background data, key or columns "
        "differ. Begin with a new checkpoint, or continue with the old program. (Rules can be changed only in a stream "
        "that has had checkpoint=… from its beginning)"
    )
