"""What identifies a job: the program however it is written, how the stream is divided, and the columns."""

from dataclasses import replace

import pytest

from laser import StateError, parse
from laser.settings import RunSettings
from laser.spark.job import Job, refuse_other
from laser.spark.layout import Layout, PredicateColumns
from laser.spark.partition import ByKey, Lifted, PerKey, Whole
from laser.values import Atom, Predicate
from laser.windows import Reach

A, B = Predicate("a", 1), Predicate("b", 1)
COLUMNS = Layout.of([PredicateColumns(A, ("bigint",), ("room",))])
JOB = Job(parse("p(X) :- a(X) in [3]. q(X) :- p(X), b(X)."), COLUMNS, COLUMNS, Whole(), RunSettings(), Reach(3))


def test_the_id_of_a_job_does_not_depend_on_how_it_is_written() -> None:
    written = parse("q(Room) :- p(Room),  b(Room).  % here\np(Y) :- a(Y) in [3 s].")
    assert replace(JOB, rules=written).fingerprint == JOB.fingerprint
    one, two = (replace(JOB, partition=ByKey(positions=dict(order))) for order in ([(A, 0), (B, 0)], [(B, 0), (A, 0)]))
    assert one.fingerprint == two.fingerprint


OTHERS = [
    replace(JOB, rules=parse("p(X) :- a(X) in [4]. q(X) :- p(X), b(X).")),
    replace(JOB, partition=ByKey(positions={A: 0})),
    replace(JOB, partition=ByKey(positions={A: 0}, drops_foreign=True)),
    replace(JOB, partition=ByKey(positions={A: 0}, buckets=2)),
    replace(JOB, partition=Lifted()),
    replace(JOB, partition=Lifted(counts_keys=True)),
    replace(JOB, partition=PerKey()),
    replace(JOB, inputs=Layout(())),
    replace(JOB, outputs=Layout.of([PredicateColumns(A, ("string",), ("room",))])),
    replace(JOB, outputs=Layout.of([PredicateColumns(A, ("bigint",), ("other",))])),
    replace(JOB, settings=RunSettings(start=3)),
    replace(JOB, settings=RunSettings(background=(Atom("b", [1]),))),
    replace(JOB, own_background=(Atom("b", [2]),)),
]


def test_any_change_in_the_meaning_of_a_checkpoint_changes_the_id() -> None:
    ids = [job.fingerprint for job in (JOB, *OTHERS)]
    assert len(set(ids)) == len(ids)


def test_a_checkpoint_of_another_job_or_of_an_older_laser_is_refused_by_name() -> None:
    refuse_other(JOB.fingerprint, JOB.fingerprint)
    with pytest.raises(StateError, match="belongs to another program"):
        refuse_other(OTHERS[0].fingerprint, JOB.fingerprint)
    with pytest.raises(StateError, match="made by an older version of Laser"):
        refuse_other("0" * 64, JOB.fingerprint)
