"""Every case and hundreds of random programs under several cuts, against the reference. No Spark: the parts alone."""

from __future__ import annotations

import random
import warnings

import pytest

from laser import LaserError
from laser.checks.load import parse
from laser.spark import bucket
from laser.spark.partition import PerKey
from laser.spark.store import SAVED
from laser.syntax.chain import chain
from laser.values import Atom
from tests.cases_reader import case_paths, read_case
from tests.laws import is_legal
from tests.spark.rooms import Drive, Memory, Setting, by_parts, job_of, keyed, lifts, read_by, shuffled, with_keys
from tests.strategies import Seeded, generate
from tests.syntax.test_chain import FIRST, SECOND, STREAM

RANDOM = 60


def of_case(path):
    case = read_case(path)
    times = [time for time, _ in case.stream]
    start = min(times) if case.settings.start is None else case.settings.start
    until = max([start, *times]) if case.settings.until is None else case.settings.until
    rows = [(time, atom) for time, atoms in case.stream for atom in atoms]
    return Setting(parse(case.program), rows, start, until, case.settings.program)


def of_trial(seed):
    trial = generate(Seeded(f"spark/{seed}"))
    if not is_legal(trial):
        return None
    times = [time for time, _ in trial.stream]
    start = min(times) if trial.start is None else trial.start
    until = max([start, *times]) if trial.until is None else trial.until
    return Setting(trial.program, [(t, a) for t, atoms in trial.stream for a in atoms], start, until)


SETTINGS = {f"{path.parent.name}/{path.stem}": of_case(path) for path in case_paths()}
SETTINGS |= {f"random/{seed}": setting for seed in range(RANDOM) if (setting := of_trial(seed)) is not None}
SETTINGS = {name: setting for name, setting in SETTINGS.items() if setting.rows}


@pytest.fixture(autouse=True)
def _short_logs(monkeypatch):
    """Logs are made short after a few entries, so that small streams see it."""
    monkeypatch.setattr(bucket, "COMPACTED", 3)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def beyond_columns(answers):
    """Whether there are integers that neither 64 bits nor a double can hold."""
    values = [value for atoms in answers.values() for atom in atoms for value in atom[1:] if isinstance(value, int)]
    return any(abs(value) >= 2**63 and float(value) != value for value in values)


LARGE = [name for name, setting in SETTINGS.items() if beyond_columns(setting.reference())]


@pytest.mark.parametrize("name", LARGE)
def test_an_integer_too_large_for_its_column_is_refused(name):
    with pytest.raises(LaserError, match="a double cannot represent the integer"):
        by_parts(SETTINGS[name], job_of(SETTINGS[name]), 1, 1)


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() - LARGE))
def test_slices_and_buckets_give_the_answers_of_the_reference(name):
    setting = SETTINGS[name]
    expected, job = setting.reference(), job_of(setting)
    setting = read_by(setting, job)
    for slices in (1, 2, 5):
        assert by_parts(setting, job, 1, slices) == expected
    divided = keyed(setting, job)
    if divided is not None:
        for buckets, slices in ((2, 1), (3, 2)):
            assert by_parts(setting, divided, buckets, slices) == expected


@pytest.mark.parametrize("name", SETTINGS)
def test_streams_give_the_answers_of_the_reference(name):
    setting = SETTINGS[name]
    choices = random.Random(name)
    expected, job = setting.reference(), job_of(setting)
    setting = read_by(setting, job)
    divided = keyed(setting, job)
    for lateness in (0, 4):
        drive = Drive(job, choices, lateness)
        drive.run(shuffled(setting.rows, lateness, choices), setting.until)
        assert not drive.late
        assert drive.answers(setting.start, setting.until) == expected
    if divided is not None:
        drive = Drive(divided.in_buckets(3), choices, 4)
        drive.run(shuffled(setting.rows, 4, choices), setting.until)
        assert drive.answers(setting.start, setting.until) == expected


@pytest.mark.parametrize("name", sorted(SETTINGS.keys() - LARGE))
def test_a_lifted_program_answers_for_each_key_alone(name):
    choices = random.Random(name)
    setting = with_keys(SETTINGS[name], choices)
    if not lifts(setting):
        return
    job = job_of(setting, "key")
    setting = read_by(setting, job)
    expected = setting.lifted_reference()
    assert job.partition.adds_key
    for buckets, slices in ((1, 1), (2, 3)):
        assert by_parts(setting, job, buckets, slices) == expected
    drive = Drive(job.in_buckets(2), choices, 3)
    drive.run(shuffled(setting.rows, 3, choices), setting.until)
    assert drive.answers(setting.start, setting.until) == expected


def test_late_facts_do_not_depend_on_the_number_of_buckets():
    rows = [(1, Atom("a", (x,))) for x in range(20)]
    setting = Setting(parse("q(X) :- a(X) in [2]."), rows, 0, 30)
    job = keyed(setting, job_of(setting))
    for buckets in (1, 2, 7):
        drive = Drive(job.in_buckets(buckets), random.Random(buckets), failures=0)
        stores = [Memory() for _ in range(buckets)]
        drive.batch(stores, [{}], [(1, Atom("a", (0,)), 0)], -1)
        drive.batch(stores, [{}], [(time, atom, 0) for time, atom in rows], 1)
        drive.batch(stores, [{}], [], 30)
        assert len(drive.late) == 20
        assert {atom for _, atom, _ in drive.changes} == {Atom("q", (0,))}


@pytest.mark.parametrize("key", [False, "key"])
def test_records_are_saved_instead_of_the_facts(key):
    """However long a stream is, its log is short, and a worker that never saw it goes on where it was saved."""
    rules = "#record on/1. on(M) :- hot(M). on(M) :- on(M) in [1 ago], not cool(M). #show on/1."
    rows = [(t, Atom(("cool", "hot")[t // 9 % 2], (f"m{t % 5}",))) for t in range(200)]
    setting = Setting(parse(rules), rows, 0, 210)
    if key:
        setting = with_keys(setting, random.Random(1))
    job = job_of(setting, key)
    assert job.reach.ticks is None
    assert job.has_records
    expected = setting.lifted_reference() if key else setting.reference()
    drive = Drive(job.in_buckets(2 if key else 1), random.Random(2), 3, workers=3)
    stores = drive.run(shuffled(setting.rows, 3, random.Random(3)), setting.until)
    assert drive.answers(setting.start, setting.until) == expected
    assert any(store.entry(SAVED) for store in stores)
    for store in stores:
        assert len([version for version, _ in store.entries() if version >= 0]) <= 2 * bucket.COMPACTED


def test_records_are_not_saved_instead_of_facts_if_a_rule_reads_all_of_them():
    setting = Setting(parse("#record q/1. q(X) :- a(X). r(X) :- q(X) at T, T < 5."), [(1, Atom("a", (1,)))], 0, 9)
    assert not job_of(setting).has_records


def test_a_key_that_has_been_silent_for_long_is_known_after_a_move():
    rows = [(1, Atom("temp", ("k1", 7))), *((t, Atom("temp", ("k2", 9))) for t in range(2, 30))]
    rows.append((30, Atom("temp", ("k1", 9))))
    rules = "r(99). r(V) :- temp(V) in [2], V > 5. quiet :- not temp(_) in [3]."
    setting = Setting(parse(rules), rows, 1, 35)
    job = job_of(setting, "key")
    drive = Drive(job, random.Random(1), workers=3, failures=0.3)
    drive.run(shuffled(rows, 0, random.Random(1)), 35)
    assert isinstance(job.partition, PerKey)
    assert drive.answers(1, 35) == setting.lifted_reference()


@pytest.mark.parametrize("second", SECOND)
@pytest.mark.parametrize("first", FIRST)
def test_a_chain_does_not_depend_on_the_cut(first, second):
    rows = [(time, atom) for time, facts in STREAM for atom in facts]
    setting = Setting(chain([parse(FIRST[first]), parse(second)]), rows, 0, 39)
    expected, job = setting.reference(), job_of(setting)
    assert job.reach.ticks is not None
    assert by_parts(setting, job, 1, 4) == expected
    drive = Drive(job, random.Random(1), 2)
    drive.run(shuffled(rows, 2, random.Random(2)), 39)
    assert drive.answers(0, 39) == expected


def test_every_way_to_divide_is_tried():
    jobs = [(setting, job_of(setting)) for setting in SETTINGS.values()]
    assert sum(keyed(setting, job) is not None for setting, job in jobs) >= 20
    assert sum(bool(job.reach.tuples) for _, job in jobs) >= 20
