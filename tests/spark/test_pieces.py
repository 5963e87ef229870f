"""The small parts that the large ones rest on."""

from __future__ import annotations

import pytest

from laser.checks.accept import accept
from laser.checks.load import parse
from laser.rules.partition_key import find_key
from laser.spark.store import Entry, Head, _struct


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
def test_the_key_is_found_or_the_reason_given(program, key):
    assert key in key_of(program)


def test_the_columns_of_the_state_match_existing_checkpoints():
    """Spark compares them when a query goes on: a change of a type would refuse every checkpoint."""
    assert _struct(Head).simpleString() == (
        "struct<job:string,buckets:int,lineage:string,version:bigint,token:string,fed:bigint,start:bigint,lowest:bigint,"
        "highest:bigint,timer:bigint,late:bigint,known:bigint,before:string>"
    )
    assert _struct(Entry).simpleString() == "struct<token:string,latest:bigint,facts:binary>"
