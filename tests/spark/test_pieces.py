"""The small parts that the large ones rest on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.errors import LaserError
from laser.rules.partition_key import find_key
from laser.spark.java import find_java, java_home, java_version
from laser.spark.job import bucket_of
from laser.spark.labels import labels, spark_hash
from laser.spark.run import _whole


def key_of(text, inputs=None):
    return str(find_key(accept(parse(text)), inputs))


@pytest.mark.parametrize(
    ("program", "key"),
    [
        ("q(X) :- a(X, Y) in [3], b(Y, X).", "argument 1 of a/2, argument 2 of b/2, argument 1 of q/1"),
        ("q(X) :- a(X, Y), b(Y). q(X) :- c(X).", "no argument is shared by all atoms"),
        ("q :- a(X).", "q/0 has no argument"),
        ("q(X) :- a(X) in [3 #].", "a tuple window counts"),
        ("g(1). q(X, Y) :- a(X), g(Y).", "argument 1 of a/1, argument 1 of q/2"),
        ("p(X, Y) :- a(X, Y). p(X, Z) :- p(X, Y), a(X, Z).", "argument 1 of a/2, argument 1 of p/2"),
        ("p(X, Y) :- a(X, Y). q(Y, X) :- p(X, Y), not b(Y). r(X) :- p(X, _).", "no choice of one argument"),
    ],
)
def test_the_key_is_found_or_the_reason_told(program, key):
    assert key in key_of(program)


def test_spark_and_python_agree_on_buckets_and_labels(spark):
    from pyspark.sql import functions as F  # noqa: N812 - the name that every user of Spark knows

    from laser.spark.sources import bucket_column, key_text

    values = {"string": ["a", "ü", ""], "bigint": [1, -7, 2**62], "double": [1.0, 1.5, -2.25, 1e300]}
    for kind, some in values.items():
        frame = spark.createDataFrame([(v,) for v in some], f"v {kind}").withColumn("key", key_text("v", kind))
        found = {row[0]: row[1] for row in frame.select("v", bucket_column(7)).collect()}
        assert found == {v: bucket_of(v, 7) for v in some}
    assert bucket_of(1, 7) == bucket_of(1.0, 7)
    names = labels(24)
    hashed = spark.createDataFrame([(n,) for n in names], "n int").select(F.hash("n")).collect()
    assert [row[0] for row in hashed] == spark_hash(__import__("numpy").array(names)).tolist()
    assert sorted(row[0] % 8 for row in hashed) == sorted(list(range(8)) * 3)


def test_a_java_is_found_here_and_in_the_package(tmp_path):
    package = find_java("package")
    assert java_version(package) >= 21
    assert (java_home("package") / "bin" / "java").exists()
    with pytest.raises(LaserError, match="no Java 17"):
        find_java(str(tmp_path))


def test_what_a_killed_run_left_beside_its_output_is_removed(tmp_path):
    mine, other, dead = (tmp_path / f".answers.{pid}.part" for pid in (os.getpid(), os.getppid(), 2**22 + 1))
    for left in (mine, other, dead):
        (left / "rows").mkdir(parents=True)
    with _whole(str(tmp_path / "answers"), overwrite=True) as part:
        assert not dead.exists()
        assert other.exists(), "somebody is at work there"
        assert list(Path(part).iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "answers"]
