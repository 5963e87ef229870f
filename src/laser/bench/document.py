"""Writes the figures of a run into docs/benchmarks.md: ``python -m laser.bench.document RUN.csv docs/benchmarks.md``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from laser.bench.chart import number
from laser.bench.experiments import EXPERIMENTS
from laser.bench.growth import growths
from laser.bench.peers import PEERS
from laser.bench.record import Record, read_records
from laser.bench.targets import outcomes
from laser.io.atomic import write_whole

__all__ = ["figures", "rewrite"]

_MARKED = re.compile(r"(<!-- figures -->\n).*(<!-- end of figures -->)", re.DOTALL)


def rewrite(page: str, records: Sequence[Record], about: dict[str, str]) -> str:
    """The page with the figures of a run between its markers."""
    text = "\n".join(figures(records, about))
    return _MARKED.sub(lambda marks: f"{marks[1]}\n{text}\n{marks[2]}", page)


def figures(records: Sequence[Record], about: dict[str, str]) -> Iterator[str]:
    """The run as Markdown: targets, ratios, peers, growth."""
    names = ("date", "effort", "processor", "memory", "python", "versions")
    loads = f"load before and after: {about.get('load before', '?')} and {about.get('load after', '?')}"
    yield "; ".join([*(about[name] for name in names if name in about), loads]) + ".\n"
    yield from _table("Targets", ("target", "limit", "measured", ""), _target_rows(records))
    yield from _table("× floor", ("experiment", "case", "output", "× floor", "quartiles", "by"), _ratios(records))
    yield from _table("Semi-naive off, × semi-naive on", ("experiment", "case", "×"), _ablation(records))
    peers = [peer.name for peer in PEERS]
    yield from _table(
        "Peers: their time × ours, with the same kind of output", ("experiment", "case", *peers), _peers(records)
    )
    yield from _table(
        "How cost grows: exponents", ("experiment", "output", "along", "held", "exponent"), _growths(records)
    )


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    listed = list(rows)
    if listed:
        yield f"### {title}\n"
        yield "| " + " | ".join(heads) + " |"
        yield "| " + " | ".join("---" for _ in heads) + " |"
        for row in listed:
            yield "| " + " | ".join(row) + " |"
        yield ""


def _target_rows(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    for outcome in outcomes(records):
        target = outcome.target
        limit = f"{'≥' if target.at_least else '≤'} {target.limit:g}"
        value = "" if outcome.value is None else number(outcome.value)
        yield (target.text, limit, value, outcome.verdict)


def _ratios(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    for r in records:
        if r.system == "laser" and r.ratio and r.floor and not r.output.endswith("peers"):
            spread = f"{number(r.low or 0)} to {number(r.high or 0)}" if r.output != "memory" else ""
            yield (r.experiment, str(r.case), r.output, number(r.ratio), spread, r.unit.partition("/")[2])


def _ablation(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    on = {
        (r.experiment, r.case): r.ratio
        for r in records
        if (r.system, r.output, r.unit) == ("laser", "changes", "µs/fact")
    }
    for r in records:
        base = on.get((r.experiment, r.case))
        if r.system == "naive" and r.ratio and base:
            yield (r.experiment, str(r.case), number(r.ratio / base))


def _peers(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    ours = {(r.experiment, r.case, r.output.split()[0]): r.value for r in records if r.output.endswith("beside peers")}
    theirs = {(r.experiment, r.case, r.system): r for r in records}
    for experiment in EXPERIMENTS:
        for case in sorted({case for name, case, _ in ours if name == experiment.name}):
            cells = []
            for peer in PEERS:
                record = theirs.get((experiment.name, case, peer.name))
                base = ours.get((experiment.name, case, record.output)) if record else None
                cells.append(f"× {number(record.value / base)}" if record and record.value and base else "–")
            yield (experiment.name, str(case), *cells)


def _growths(records: Sequence[Record]) -> Iterator[tuple[str, ...]]:
    for g in growths(records):
        if g.system == "laser" and not g.output.endswith("peers"):
            yield (g.experiment, f"{g.output}, {g.unit}", g.axis, str(g.fixed), f"{g.exponent:+.2f}")


def main(run: str, page: str) -> None:
    text = rewrite(Path(page).read_text("utf-8"), *read_records(run))
    with write_whole(page) as out:
        out.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
