"""Other rules on an old checkpoint: what goes on, and from when on it is exact."""

from __future__ import annotations

import itertools
import random
import warnings
from dataclasses import replace

import pytest

from laser.checks.load import parse
from laser.errors import LaserError, StateError
from laser.settings import RunSettings
from laser.spark import bucket
from laser.spark.job_record import read_job, write_job
from laser.spark.store import Head
from laser.spark.succession import continued, exact_from, with_former
from laser.ticks import Tick
from laser.values import Atom, Predicate
from laser.windows import LastOf
from tests.spark.rooms import Drive, Memory, Setting, job_of, keyed, lifts, read_by, shuffled, with_keys
from tests.spark.test_cuts import SETTINGS

READINGS = [
    (t, Atom(name, (f"m{(t * 7 + i) % 4}", (t * 5 + i * 3) % 11)))
    for t in range(60)
    for i, name in enumerate(("temp", "flow"))
    if (t + i) % 5
]
VERSIONS = [
    "hot(M) :- temp(M, V) in [8], V > 6.",
    "hot(M) :- temp(M, V) in [8], V > 3.",
    "hot(M) :- temp(M, V) in [3], V > 3. quiet(M) :- temp(M, _) in [8], not temp(M, _) in [2].",
    "quiet(M) :- temp(M, _) in [8], not temp(M, _) in [2].",
    "hot(M) :- temp(M, V) always in [1], V > 1. quiet(M) :- temp(M, _) in [8], not temp(M, _) in [4].",
    "n(M, N) :- N = count(V, T : temp(M, V) at T in [8]).",
]


def head(**given):
    fields = {"fed": 20, "start": 0, "lowest": 0, "highest": 25, "known": 12, **given}
    return Head("old", 1, "l", 1, "t", timer=-1, late=0, **fields)


def job(rules):
    return job_of(Setting(parse(rules), READINGS, 0, 59))


def change(old, new, *heads, inexact=False):
    return exact_from(old, new, heads or [head()], inexact)


@pytest.fixture(autouse=True)
def _short_logs(monkeypatch):
    monkeypatch.setattr(bucket, "COMPACTED", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Changing(Drive):
    """A stream whose rules are changed between micro-batches."""

    def versions(self, jobs, rows, until):
        stores = [Memory() for _ in range(jobs[0].partition.buckets)]
        caches = [{} for _ in range(self.workers)]
        pending, highest, complete, exact = list(rows), -1, -1, []
        for number, each in enumerate(jobs):
            self.job, self.name = with_former(each, jobs[:number]), f"job{number}"
            self.elders = {f"job{i}": elder for i, elder in enumerate(jobs[:number])}
            if number:
                exact.append(self.take_over(stores))
            size = len(pending) if number == len(jobs) - 1 else self.choices.randint(0, len(rows) // len(jobs))
            mine, pending = pending[:size], pending[size:]
            while mine:
                batch, mine = mine[:5], mine[5:]
                self.batch(stores, caches, batch, complete)
                highest = max([highest, *(time for time, _, _ in batch)])
                complete = max(complete, highest - self.lateness - 1)
        self.batch(stores, caches, [], complete)
        self.batch(stores, caches, [], until)
        return exact

    def take_over(self, stores):
        heads = [found for store in stores if (found := store.head()) is not None]
        olds = {found.job for found in heads}
        firsts = [exact_from(self.elders[old], self.job, [h for h in heads if h.job == old], True) for old in olds]
        return min((h.fed for h in heads), default=-1) + 1, max(firsts, default=0)

    def turn(self, store, cache, number, rows, span, complete):
        made = bucket.Bucket(self.job, number, store, self.name, cache, self.elders)
        read = [row for row in rows if row[1].signature in self.job.inputs.tags]
        return super().turn_of(made, read, span, complete)


def follow(jobs, settings, choices, rows, lateness=2):
    """The answers are those of each program on its own, from the time on from which they are said to be exact."""
    drive = Changing(jobs[0], choices, lateness)
    exact = [(0, 0), *drive.versions(jobs, shuffled(rows, lateness, choices), settings[0].until)]
    found = drive.answers(settings[0].start, settings[0].until)
    ends = [*(changed for changed, _ in exact[1:]), settings[0].until + 1]
    for setting, (_, first), end in zip(settings, exact, ends, strict=True):
        expected = setting.reference() if not jobs[0].partition.adds_key else setting.lifted_reference()
        for time in range(max(first, setting.start), end):
            assert found[time] == expected[time], (time, exact)


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_changed_rules_continue_with_exact_answers(seed, buckets):
    choices = random.Random(seed)
    settings = [Setting(parse(text), [r for r in READINGS if r[1][0] == "temp"], 0, 59) for text in VERSIONS]
    jobs = [keyed(setting, job_of(setting)) for setting in settings]
    follow([each.in_buckets(buckets) for each in jobs], settings, choices, settings[0].rows)


TYPED = {Predicate("temp", 2): ["string", "bigint"], Predicate("flow", 2): ["string", "bigint"]}
"""With these columns, streams read only the facts that can matter."""


@pytest.mark.parametrize("buckets", [1, 3])
@pytest.mark.parametrize("seed", range(12))
def test_rules_that_select_other_facts_go_on_exactly(seed, buckets):
    choices = random.Random(seed)
    rows = [row for row in READINGS if row[1][0] == "temp"]
    texts = [VERSIONS[0], *choices.sample(VERSIONS, 4)]
    settings = [Setting(parse(text), rows, 0, 59, kinds=TYPED) for text in texts]
    jobs = [keyed(setting, job_of(setting)) for setting in settings]
    assert jobs[0].selected
    jobs = [replace(job, keep=choices.choice((0, 0, 1))) for job in jobs]
    follow([each.in_buckets(buckets) for each in jobs], settings, choices, rows)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hot(M) :- temp(M, V) in [8], V > 6.", "hot(M) :- temp(M, V) in [8], V > 3."),
        (
            "hot(M) :- temp(M, V) in [8], V > 6.",
            "hot(M) :- temp(M, V) in [5], V > 3. b(M) :- temp(M, _) in [2 .. 8 ago].",
        ),
        ("hot(M) :- temp(M, V) in [8], flow(M, _).", "hot(M) :- temp(M, _)."),
        ("hot(M) :- temp(M, V) in [last 3 per M].", "hot(M) :- temp(M, V) in [last 2 per M], V > 1."),
        ("hot(M) :- temp(M, V) in [4 #], flow(_, _).", "hot(M) :- temp(M, V) in [2 #], flow(_, _)."),
        ("hot(M) :- temp(M, V) at T.", "hot(M) :- temp(M, _) in [9000]."),
    ],
)
def test_rules_continue_if_the_log_has_all_facts_they_need(old, new):
    known = -1 if "at T" in old else 12
    assert change(job(old), job(new), head(known=known)) == 21


REFUSED = {
    "the last 2 facts of temp/2": ("a(M) :- temp(M, _).", "a(M) :- temp(M, V) in [last 2 per M], V > 1."),
    "over the whole history": ("a(M) :- temp(M, _) in [8].", "a(M) :- temp(M, _) at T."),
    "in the order of arrival": ("a(M) :- temp(M, _) in [8].", "a(M) :- temp(M, _) in [2 #]."),
    "the last 5 facts, of which the log has 2": ("a(M) :- temp(M, _) in [2 #].", "a(M) :- temp(M, _) in [5 #]."),
    "the columns of a/1 would be": ("a(M) :- temp(M, _).", "a(1) :- temp(_, _)."),
}


@pytest.mark.parametrize("words", REFUSED)
def test_rules_that_need_facts_the_log_never_has_are_refused(words):
    old, new = (job(text) for text in REFUSED[words])
    if "columns" in words:
        old = replace(old, outputs=type(old.outputs).of(replace(c, kinds=("string",)) for c in old.outputs.predicates))
    with pytest.raises(StateError, match="in the order of arrival" if "temp/2" in words else words):
        change(old, new, inexact=True)


def test_rules_that_need_a_longer_log_are_refused_unless_inexact():
    old, new = job("a(M) :- temp(M, _) in [8]."), job("a(M) :- temp(M, _) in [20].")
    with pytest.raises(
        StateError, match=r"look back over 20 ticks, but facts are kept only since 12, .* exact only from 32 on"
    ):
        change(old, new)
    assert change(old, new, inexact=True) == 32
    assert change(old, new, head(known=0)) == 21  # nothing is dropped yet
    other = job("a(M) :- temp(M, _) in [8], flow(M, _).")
    with pytest.raises(StateError, match="facts of flow/2, which the old rules did not read, are kept only since 26"):
        change(old, other)


def selecting(rules, keep=0):
    return replace(job_of(Setting(parse(rules), READINGS, 0, 59, kinds=TYPED)), keep=keep)


def test_rules_that_need_facts_which_were_not_selected_say_so_and_go_on_with_consent():
    old = selecting("a(M) :- temp(M, V) in [8], V > 6.")
    assert change(old, selecting("a(M) :- temp(M, V) in [8], V >= 9. b(M) :- temp(M, 8).")) == 21
    for rules in (
        "a(M) :- temp(M, V) in [8], V > 5.",
        "a(M) :- temp(M, V) in [8], V >= 6.",
        "a(M) :- temp(M, _) in [8].",
    ):
        new = selecting(rules)
        words = "facts of temp/2, of which the old rules read only those that mattered to them, are kept only since 26, .* from 34 on"
        with pytest.raises(StateError, match=words):
            change(old, new)
        assert change(old, new, inexact=True) == 34
        assert (
            change(selecting("a(M) :- temp(M, V) in [8], V > 6.", keep=1), new) == 21
        )  # all facts are kept for changed rules
    with pytest.raises(StateError, match="over the whole history"):
        change(old, selecting("a(M) :- temp(M, V) at _, V > 5."), head(known=0), inexact=True)


def test_a_record_of_what_was_selected_never_promises_too_much():
    rules = "a(M) :- temp(M, V) in [8], V > 6."
    needed, kept = selecting(rules), selecting(rules, keep=1)
    everything = selecting("a(M) :- temp(M, _) in [8].")
    before = replace(needed, needed={})  # as an earlier version wrote it, which read all facts
    now = read_job(write_job(continued(before, needed, [head()])))
    assert (now.selected, now.complete_since) == (needed.selected, -1)
    assert change(now, everything, inexact=True) == 34
    kept = read_job(write_job(continued(now, kept, [head()])))
    assert (kept.selected, kept.complete_since) == ({}, 26)
    assert change(kept, everything, inexact=True) == 34
    assert change(kept, everything, head(fed=40, highest=45, known=33)) == 41  # all facts are there by now
    again = read_job(write_job(continued(kept, needed, [head()])))
    assert (again.selected, again.complete_since) == (needed.selected, 26)
    unknown = continued(None, selecting(rules, keep=1), [head()])
    assert unknown.complete_since == 26
    assert continued(None, selecting(rules, keep=1), []).complete_since == -1


@pytest.mark.parametrize("changes", [{"tick": Tick.parse("2 s")}, {"dates": True}, {"start": 3}])
def test_another_stream_is_refused(changes):
    old = job("a(M) :- temp(M, _) in [8].")
    with pytest.raises(StateError, match="the checkpoint belongs to another stream"):
        change(old, replace(old, settings=replace(old.settings, **changes)))
    with pytest.raises(StateError, match="its inputs was"):
        change(old, replace(old, streams=("other/2",)))


def test_another_key_is_refused():
    setting = Setting(parse("a(M) :- temp(M, _) in [8]."), READINGS, 0, 59)
    other = replace(setting, program=parse("b(V) :- temp(_, V) in [8]."))
    one, two = (keyed(each, job_of(each)).in_buckets(2) for each in (setting, other))
    with pytest.raises(StateError, match="divide the stream by another key"):
        change(one, two)


def test_keep_keeps_more_than_the_rules_need():
    setting = Setting(parse("a(M) :- temp(M, _) in [2]."), [r for r in READINGS if r[1][0] == "temp"], 0, 59)
    known = {}
    for keep in (0, 30):
        drive = Drive(replace(job_of(setting), keep=keep), random.Random(1), failures=0)
        stores = drive.run(shuffled(setting.rows, 0, random.Random(1)), 59)
        assert drive.answers(0, 59) == setting.reference()
        known[keep] = (stores[0].head().known, len(stores[0].log))
    assert known[0][0] == 57
    assert known[30][0] == 29
    assert known[30][1] > 4 * known[0][1]


@pytest.mark.parametrize("name", sorted(SETTINGS)[::7])
@pytest.mark.parametrize("key", [False, "key"])
def test_a_stored_job_is_read_back_unchanged(name, key):
    setting = with_keys(SETTINGS[name], random.Random(name)) if key else SETTINGS[name]
    if key and not lifts(setting):
        return
    made = replace(job_of(setting, key).in_buckets(3), keep=0)
    read = read_job(write_job(made))
    assert replace(read, rules=made.rules, settings=made.settings) == made
    assert read.fingerprint == made.fingerprint


def test_a_job_keeps_its_constants_its_zone_and_its_windows():
    settings = RunSettings.read(
        {"constants": {"n": 2.5, "s": "a b"}, "zone": "Asia/Tokyo", "tick": "250 ms", "warmup": 3}
    )
    made = replace(job("#const n = 1. #const s = b. a(M, n) :- temp(M, s) in [last 3 per M]."), settings=settings)
    read = read_job(write_job(made))
    assert read.settings == settings
    assert read.reach.latest == frozenset({LastOf(3, made.inputs.predicates[0].predicate, (0,))})


PAIRS = [
    (one, other)
    for one, other in itertools.permutations([name for name in SETTINGS if name.startswith("random/")], 2)
    if random.Random(f"{one} {other}").random() < 0.04
]


def changed(one, other, key):
    """The programs of two settings over the stream of the first; whether the second could go on from the first."""
    choices = random.Random(f"{one} {other}")
    first = SETTINGS[one]
    if key:
        first = with_keys(first, choices)
    settings = [first, replace(first, program=SETTINGS[other].program, run=SETTINGS[other].run)]
    if not all(lifts(setting) if key else True for setting in settings):
        return False
    try:
        jobs = [job_of(setting, "key" if key else False).in_buckets(2) for setting in settings]
    except LaserError:
        return False
    read = set().union(*(job.inputs.tags for job in jobs))
    rows = [row for row in first.rows if row[1].signature in read]
    settings = [read_by(setting, job) for setting, job in zip(settings, jobs, strict=True)]
    try:
        follow(jobs, settings, choices, rows)
    except StateError:
        return False
    return True


@pytest.mark.parametrize("key", [False, True])
def test_random_rules_continue_from_random_rules(key):
    gone_on = [changed(one, other, key) for one, other in PAIRS]
    assert sum(gone_on) >= 10
