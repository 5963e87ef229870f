"""How a stream is divided: buckets in Python and in SQL, and their names."""

from __future__ import annotations

import pytest

from laser.spark.partition import (
    ByKey,
    Lifted,
    PerKey,
    Whole,
    bucket_labels,
    bucket_sql,
    key_sql,
    spark_hash,
    with_buckets,
)
from laser.values import Predicate, number

VALUES = {
    "string": ["a", "ü", "", "1", "far"],
    "bigint": [0, 1, -7, 2**53 + 1, 2**62, 9 * 10**18 - 1, 9 * 10**18, -(2**63), 2**63 - 1],
    "double": [0.0, -0.0, 1.0, 1.5, -2.25, 2.0**53, 9e18, -9e18, 9.1e18, 1e300],
}


def as_value(cell):
    """A cell as the reasoner sees it."""
    return number(cell) if isinstance(cell, float) else cell


def test_spark_and_python_agree_on_the_bucket_of_every_value(spark):
    for storage, values in VALUES.items():
        sql = bucket_sql(key_sql("v", storage), 7)
        found = spark.createDataFrame([(v,) for v in values], f"v {storage}").selectExpr("v", sql).collect()
        assert [row[1] for row in found] == [PerKey(buckets=7).bucket_of(as_value(row[0])) for row in found]


def test_equal_numbers_lie_in_one_bucket():
    partition = PerKey(buckets=1009)
    for value in (1, -7, 2**53, 9 * 10**18 + 2**11):
        assert partition.bucket_of(value) == partition.bucket_of(float(value))


def test_spark_spreads_the_names_of_buckets_evenly(spark):
    from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

    names = bucket_labels(24)
    hashed = spark.createDataFrame([(n,) for n in names], "n int").select(F.hash("n")).collect()
    assert [row[0] for row in hashed] == spark_hash(__import__("numpy").array(names)).tolist()
    assert sorted(row[0] % 8 for row in hashed) == sorted(list(range(8)) * 3)


def test_each_way_to_divide_says_where_the_key_is():
    pred, fact = Predicate("a", 2), ("a", "k1", "k2")
    by_key = ByKey(positions={pred: 1}, buckets=5)
    assert (Whole().key_position(pred), by_key.key_position(pred), Lifted().key_position(pred)) == (None, 1, 0)
    assert by_key.key_position(Predicate("b", 1)) is None
    assert [b for b in range(5) if by_key.belongs(fact, b)] == [by_key.bucket_of("k2")]
    assert [b for b in range(5) if PerKey(buckets=5).belongs(fact, b)] == [by_key.bucket_of("k1")]
    assert all(by_key.belongs(("b", 1), b) for b in range(5)), "what has no key is in all buckets"


@pytest.mark.parametrize(
    ("partition", "buckets"), [(Whole(), 1), (Lifted(), 6), (PerKey(), 6), (ByKey(positions={}), 6)]
)
def test_only_a_stream_that_is_divided_has_buckets(partition, buckets):
    assert with_buckets(partition, 6).buckets == buckets
