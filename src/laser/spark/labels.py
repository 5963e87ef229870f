"""Names of buckets that Spark spreads evenly over the parts of a shuffle."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = ["labels"]

SPREAD = 5040
"""Has all numbers up to 10 as divisors, and many after: whatever divides it is a number of parts with an even spread."""
_SEED = 42
_TRIED = 200_000


@lru_cache
def labels(buckets: int) -> list[int]:
    """For each bucket a number that Spark hashes to it, modulo whatever number of parts there are.

    The names are in checkpoints, so they depend on nothing but their count.

    >>> [int(hashed) % 8 for hashed in spark_hash(np.array(labels(4)))]
    [0, 1, 2, 3]
    """
    hashed = spark_hash(np.arange(_TRIED)) % SPREAD
    first = {int(rest): number for number, rest in reversed(list(enumerate(hashed.tolist())))}
    names = [first.get(i % SPREAD, -i) for i in range(min(buckets, SPREAD))]
    return names + [_TRIED + i for i in range(buckets - len(names))]


def spark_hash(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """What Spark's ``hash`` says of integers: Murmur3, 32 bits, seed 42, signed."""

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
