"""How figures are made of times, kept, compared and judged. No test here asserts how long anything takes."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from itertools import count
from pathlib import Path

import pytest

from laser.bench import suite, tables
from laser.bench.case import Case
from laser.bench.compare import compare
from laser.bench.document import rewrite
from laser.bench.experiments import experiment
from laser.bench.growth import growths
from laser.bench.measure import Chunk, Effort, chunks, facts_of, summary
from laser.bench.peers import PEERS
from laser.bench.peers.race import race
from laser.bench.record import Record, read_records, write_records
from laser.bench.report import report
from laser.bench.systems import ChangeSystem, changes, changes_read, naive, snapshots
from laser.bench.targets import TARGETS, Outcome, Target, outcomes
from laser.errors import RecordError

TINY = Effort(2, 0, 2, 1.0, quick=True)
DIAMOND = experiment("diamond")


def row(
    name="diamond", n=800, w=80, r=1, live=0, *, system="laser", output="changes", unit="µs/fact", value=0.5, ratio=7.0
):
    low, high = (None, None) if ratio is None else (ratio * 0.95, ratio * 1.05)
    return Record(name, n, w, r, live, system, output, unit, value, 0.07, ratio, low, high)


def rows():
    """A run in which everything takes the same time."""
    found = []
    for name in ("diamond", "box", "join", "cooling"):
        found += [row(name, n, w) for n in (200, 800, 10_000) for w in (1, 20, 80)]
        found += [
            row(name, output="snapshot alone", unit="µs/atom", ratio=1.5),
            row(name, output="snapshot, atoms at hand", unit="µs/atom", ratio=1.6),
            row(name, w=3600),
            row(name, output="snapshot"),
        ]
        found += [row(name, 200, 20, output=f"{kind} beside peers") for kind in ("changes", "snapshot")]
        found += [
            row(name, 200, 20, system=peer.name, output="changes" if peer.name == "pathway" else "snapshot", value=5.0)
            for peer in PEERS
        ]
    for name in ("multi", "multi-heads"):
        found += [row(name, 200, 20, r) for r in (1, 10, 100)]
    found += [row("multi-heads", 200, 20, r, unit="µs/change", ratio=7 / r) for r in (1, 10, 100)]
    found += [row("negation", 10, 5, live=live, unit="µs/change") for live in (100, 1_000, 100_000)]
    found += [row(f"files-{kind}") for kind in ("csv", "jsonl", "parquet")]
    found += [row("hysteresis", 10, 0, live=live, unit="µs/change") for live in (100, 100_000)]
    found += [row("recursion", 80, w, unit="µs/change") for w in (10, 80)]
    found += [row("latest", 800, 0, live=live) for live in (1_000, 100_000)]
    found += [row("history-diamond", system=way, output="intervals", unit="µs/row") for way in ("sql", "reasoner")]
    folds = ("count", "average", "extremes", "quantile", "tumbling")
    found += [row(name, n, w) for name in folds for n, w in ((800, 80), (80, 20), (80, 3600))]
    found += [row("diamond-repeat", w=20), row("join-repeat", w=20), row("join", 800, 20, system="naive")]
    for r in (100, 300, 1000):
        found += [
            replace(row("startup", 0, 20, r, output=output, unit="ms", value=r / 2), floor=None)
            for output in ("parse", "compile")
        ]
        found += [replace(row("startup", 0, 20, r, output="source", unit="characters", value=r * 1.5e3), floor=None)]
    return [*found, Record("cooling", 200, 20, 1, 0, "pathway", "snapshot", "µs/fact", None, note="it <cannot>")]


def test_chunks_cover_the_steady_state_and_drop_the_first():
    seen = []

    class System:
        def load(self, t, facts):
            seen.append(t)

        def run(self, batches):
            seen.extend(t for t, _ in batches)
            return 1

    ticking = count()
    found = list(chunks(DIAMOND, Case(10, 3), System(), Effort(4, 30, 1, clock=lambda: float(next(ticking)))))
    assert seen == list(range(5 + 5 * 3))
    assert [(chunk.facts, chunk.out) for chunk in found] == [(30, 1)] * 4


def test_a_summary_is_a_median_of_ratios():
    measured = [Chunk(seconds, floor, 10, 5) for seconds, floor in ((10e-6, 1e-7), (20e-6, 2e-7), (90e-6, 3e-7))]
    record = summary(DIAMOND, Case(10, 3), "laser", "changes", measured, facts_of)
    assert record.value == pytest.approx(2.0)
    assert record.ratio == pytest.approx(10.0)


@pytest.mark.parametrize("measure", [changes, changes_read, naive, snapshots])
@pytest.mark.parametrize("name", ["diamond", "cooling"])
def test_every_measurement_gives_figures(measure, name):
    for record in measure(experiment(name), Case(8, 2), TINY):
        assert record.value is not None
        assert record.value > 0
        assert record.ratio is not None
        assert tables.line(record).startswith(name)


def test_laser_counts_its_changes():
    system = ChangeSystem("q(X) :- p(X) in [1].")
    system.load(0, [("p", 1)])
    assert system.run([(1, [("p", 2)]), (2, [("p", 2)])]) == 2


def test_a_run_is_read_back_from_its_file(tmp_path):
    path = tmp_path / "run.csv"
    with path.open("w", encoding="utf-8") as out:
        write_records(out, rows(), {"date": "today", "processor": "x: y"})
    records, about = read_records(str(path))
    assert about == {"date": "today", "processor": "x: y"}
    assert [record.key for record in records] == [record.key for record in rows()]
    assert records[0].ratio == pytest.approx(7.0)
    assert records[-1].value is None


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "# x: y\n"])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other.csv"
    path.write_text(text)
    with pytest.raises(RecordError, match="not a table"):
        read_records(str(path))


def test_a_comparison_reports_only_what_became_slower_beyond_noise():
    old = [row(w=1), row(w=20), row(w=80), row(w=40, system="duckdb")]
    new = [row(w=1, ratio=7.2), row(w=20, ratio=9.0), row(w=80, ratio=5.0), row(w=40, system="duckdb", ratio=99.0)]
    found = list(compare(old, new))
    assert [(difference.new.w, difference.beyond_noise) for difference in found] == [(20, True), (1, False), (80, True)]
    assert str(found[0]).startswith("slower x1.29: diamond n=800 w=20")


def test_growth_is_fitted_along_one_axis():
    line = [row(w=w, ratio=3.0 * w**0.5) for w in (1, 4, 16)]
    (growth,) = growths(line)
    assert (growth.axis, growth.exponent) == ("w", pytest.approx(0.5))


def test_every_aim_is_looked_up_in_a_run():
    assert len({target.text for target in TARGETS}) == len(TARGETS)
    assert [outcome.target.text for outcome in outcomes(rows()) if outcome.value is None] == []
    assert {outcome.verdict for outcome in outcomes([])} == {"not measured"}


@pytest.mark.parametrize(
    ("limit", "value", "at_least", "verdict"),
    [
        (8, 7, False, "met"),
        (8, 8, False, "met"),
        (8, 9, False, "NOT MET"),
        (1, 2, True, "met"),
        (1, 0.5, True, "NOT MET"),
        (1, 1, True, "met"),
    ],
)
def test_verdicts_compare_figures_with_aims(limit, value, at_least, verdict):
    assert Outcome(Target("x", limit, lambda run: value, at_least), value).verdict == verdict


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.open = set(), [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_one_well_formed_page_that_needs_nothing_else():
    page = Page()
    text = report(rows(), {"processor": "<fast>"})
    page.feed(text)
    assert page.open == []
    assert page.links == []
    assert {"svg", "table", "style", "figure"} <= page.tags
    assert "script" not in page.tags
    assert "&lt;fast&gt;" in text
    assert "it &lt;cannot&gt;" in text


def test_a_report_of_nothing_is_a_page_too():
    assert "not measured" in report([], {})


def test_a_peer_that_is_not_installed_says_what_to_install():
    absent = replace(PEERS[0], module="no_such_module")
    found = list(race(DIAMOND, [Case(8, 2)], [absent], TINY))
    notes = {record.system: record.note for record in found}
    assert notes["clingo"] == "not installed: pip install clingo"
    assert all(record.value for record in found if record.system == "laser")


def test_a_peer_with_other_answers_is_not_timed():
    class Wrong:
        def __init__(self, experiment, case):
            pass

        def run(self, batches):
            return 0

        def answer(self):
            return set()

        def close(self):
            pass

    wrong = replace(PEERS[-1], name="wrong", make=Wrong)
    (record,) = [record for record in race(DIAMOND, [Case(8, 2)], [wrong], TINY) if record.system == "wrong"]
    assert record.value is None
    assert record.note == "its answer at time 0 of the small stream differs"


def test_every_part_has_tasks():
    for part in suite.PARTS:
        assert suite.tasks([part], quick=True)
        assert {task.part for task in suite.tasks([part])} == {part}


def test_the_figures_of_a_run_are_put_between_the_marks_of_a_page():
    page = "# Title\n<!-- figures -->\nold\n<!-- end of figures -->\nend\n"
    text = rewrite(page, rows(), {"date": "today", "processor": "fast"})
    assert text.startswith("# Title\n<!-- figures -->\n")
    assert text.endswith("<!-- end of figures -->\nend\n")
    assert "old" not in text
    assert "| diamond, n = 800, w ≤ 80: × floor | ≤ 8 | 7 | met |" in text
    assert "| diamond | n=200 w=20 | × 10 |" in text
    assert rewrite(text, rows(), {"date": "today", "processor": "fast"}) == text


def test_the_page_has_its_marks():
    page = (Path(__file__).parent.parent.parent / "docs" / "benchmarks.md").read_text("utf-8")
    assert page.count("<!-- figures -->") == page.count("<!-- end of figures -->") == 1
    assert all(name in page for name in ("diamond", "cooling", "negation", "startup"))
