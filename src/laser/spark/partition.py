"""How a stream is divided over reasoners, and the bucket of a key, in Python and in SQL side by side.

A bucket is a function of the value that the reasoner sees, so equal values are in the same bucket, whatever their column.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from laser.values import Duration, Predicate, Time, Value

__all__ = [
    "ByKey",
    "Lifted",
    "Partition",
    "PerKey",
    "Whole",
    "bucket_labels",
    "bucket_sql",
    "key_sql",
    "key_text",
    "with_buckets",
]

# -- the ways to divide


@dataclass(frozen=True, kw_only=True)
class _Partition(ABC):
    """A stream in buckets, each with the facts of some keys."""

    adds_key: ClassVar[bool] = False
    """Whether facts and answers have the key as an additional first argument, before those of the program."""
    buckets: int = 1

    @property
    def knows_keys(self) -> bool:
        """Whether it matters which keys have ever been seen."""
        return False

    @abstractmethod
    def key_position(self, predicate: Predicate) -> int | None:
        """The argument of a predicate that is the key; None if it has none, so that its facts go to all buckets."""

    def bucket_of(self, value: Value) -> int:
        """The bucket of a key."""
        return zlib.crc32(key_text(value).encode()) % self.buckets

    def belongs(self, fact: Sequence[Any], bucket: int) -> bool:
        """Whether a fact or an answer belongs to a key of this bucket."""
        position = self.key_position(Predicate(fact[0], len(fact) - 1))
        return position is None or self.bucket_of(fact[position + 1]) == bucket


@dataclass(frozen=True, kw_only=True)
class Whole(_Partition):
    """One stream, one reasoner."""

    def key_position(self, predicate: Predicate) -> int | None:
        return None


@dataclass(frozen=True, kw_only=True)
class ByKey(_Partition):
    """Divided by a key that is an argument of all predicates that are joined in rules.

    With ``drops_foreign``, a part may derive atoms of keys whose facts are in other parts; these atoms are dropped.
    """

    positions: Mapping[Predicate, int]
    drops_foreign: bool = False

    def key_position(self, predicate: Predicate) -> int | None:
        return self.positions.get(predicate)


@dataclass(frozen=True, kw_only=True)
class Lifted(_Partition):
    """The program is lifted over a key, except for ``shared`` predicates; with ``counts_keys``, its rules depend on the set of keys."""

    adds_key = True
    counts_keys: bool = False
    shared: frozenset[Predicate] = frozenset()

    @property
    def knows_keys(self) -> bool:
        return self.counts_keys

    def key_position(self, predicate: Predicate) -> int | None:
        return 0


@dataclass(frozen=True, kw_only=True)
class PerKey(_Partition):
    """A reasoner for each key."""

    adds_key = True

    @property
    def knows_keys(self) -> bool:
        return True

    def key_position(self, predicate: Predicate) -> int | None:
        return 0


Partition: TypeAlias = Whole | ByKey | Lifted | PerKey


def with_buckets(partition: Partition, buckets: int) -> Partition:
    """The same division, with this many buckets."""
    return partition if isinstance(partition, Whole) else replace(partition, buckets=buckets)


# -- keys as text; the bucket is its checksum

_FAR = 9 * 10**18
"""From here on, numbers share a bucket: SQL's integers end soon after, and doubles have gaps."""


def key_text(value: Value) -> str:
    """A key as text: the same for equal numbers, and the same as in ``key_sql``."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(int(value // 1)) if abs(value) < _FAR else "far"
    if isinstance(value, Time | Duration):
        return key_text(value.micros)
    return str(value)


def key_sql(value: str, storage_type: str) -> str:
    """The text of a key as an SQL expression over its carrier."""
    if storage_type == "string":
        return value  # an IRI in a column of terms has its brackets, as in `key_text`
    return f"CASE WHEN {value} > -{_FAR} AND {value} < {_FAR} THEN string(bigint(floor({value}))) ELSE 'far' END"


def bucket_sql(text: str, buckets: int) -> str:
    """The bucket of a key as an SQL expression over its text."""
    return f"int(crc32(binary({text})) % {buckets})"


# -- names of buckets that Spark spreads evenly over the parts of a shuffle

SPREAD = 5040
"""A number with many divisors, among them all numbers up to 10: with any of these as the number of parts, the spread is even."""
_SEED = 42
_TRIED = 200_000


@lru_cache
def bucket_labels(buckets: int) -> list[int]:
    """For each bucket, a number that Spark hashes to it, modulo any number of parts.

    These numbers are in checkpoints, so they depend only on how many there are.

    >>> [int(hashed) % 8 for hashed in spark_hash(np.array(bucket_labels(4)))]
    [0, 1, 2, 3]
    """
    hashed = spark_hash(np.arange(_TRIED)) % SPREAD
    first = {int(rest): number for number, rest in reversed(list(enumerate(hashed.tolist())))}
    names = [first.get(i % SPREAD, -i) for i in range(min(buckets, SPREAD))]
    return names + [_TRIED + i for i in range(buckets - len(names))]


def spark_hash(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Spark's ``hash`` of integers: Murmur3, 32 bits, seed 42, signed."""

    def rotate(x: npt.NDArray[np.uint32], by: int) -> npt.NDArray[np.uint32]:
        return (x << np.uint32(by)) | (x >> np.uint32(32 - by))

    with np.errstate(over="ignore"):
        k = numbers.astype(np.uint32) * np.uint32(0xCC9E2D51)
        k = rotate(k, 15) * np.uint32(0x1B873593)
        h = rotate(np.uint32(_SEED) ^ k, 13) * np.uint32(5) + np.uint32(0xE6546B64)
        h ^= np.uint32(4)
        h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        h = (h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        h ^= h >> np.uint32(16)
    return h.astype(np.int32).astype(np.int64)
