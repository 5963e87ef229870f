"""A run as one page: plots like the paper's figures, the targets, and all figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from laser.bench.chart import Series, bars, lines, number
from laser.bench.experiments import EXPERIMENTS
from laser.bench.growth import growths
from laser.bench.peers import PEERS
from laser.bench.record import Record
from laser.bench.style import STYLE
from laser.bench.targets import outcomes

__all__ = ["report"]


@dataclass(frozen=True)
class Figure:
    """A plot: the rows that it shows, its axis, and how rows become lines."""

    title: str
    caption: str
    axis: str
    choose: Callable[[Record], bool]
    label: Callable[[Record], str]
    floor: bool = True
    y: str = "µs a fact"


def _of(*names: str, outputs: Sequence[str] = ("changes",), unit: str = "µs/fact") -> Callable[[Record], bool]:
    return lambda r: r.experiment in names and r.output in outputs and r.unit == unit and r.system == "laser"


def _rate(record: Record) -> str:
    return f"n = {number(record.n)}" + ("" if record.output == "changes" else f", {record.output}")


_AXES = {"w": "window, in ticks", "n": "facts a tick", "r": "rules", "live": "live facts"}

FIGURES = (
    Figure("◇ in a window", "As in the paper: unique facts, at several rates.", "w", _of("diamond"), _rate),
    Figure("□ in a window", "As in the paper: values that occur throughout the window.", "w", _of("box"), _rate),
    Figure("A join", "As in the paper: a chain, joined with itself.", "w", _of("join"), _rate),
    Figure(
        "Many rules",
        "As in the paper, the same join in r rules: with one head, and with r heads.",
        "r",
        _of("multi", "multi-heads"),
        lambda r: f"{'one head' if r.experiment == 'multi' else 'r heads'}, w = {r.w}",
    ),
    Figure("Cooling system", "The paper's nine rules, with @ in heads, □ and negation.", "w", _of("cooling"), _rate),
    Figure(
        "A full snapshot each tick",
        "What the paper's systems produce; it grows with the window because the answer does.",
        "w",
        lambda r: _of("diamond", "box", "join", "cooling", outputs=("snapshot",))(r) and r.n == 800,
        lambda r: r.experiment,
    ),
    Figure(
        "Semi-naive on and off",
        "The paper's ablation. Off: everything that is alive is joined again at every tick.",
        "w",
        lambda r: (
            r.experiment in ("join", "cooling")
            and r.n in (200, 800)
            and r.unit == "µs/fact"
            and r.output == "changes"
            and r.system in ("laser", "naive")
            and r.w <= 80
            and (r.n == 800 or r.experiment == "join")
        ),
        lambda r: f"{r.experiment}, n = {r.n}, {'off' if r.system == 'naive' else 'on'}",
        floor=False,
    ),
    Figure(
        "Recursion",
        "Reachability over a sliding window of edges: cost of a change of the answer.",
        "w",
        _of("recursion", unit="µs/change"),
        _rate,
        floor=False,
        y="µs a change",
    ),
    Figure(
        "Negation",
        "Twenty changes a tick among many live facts: cost of a change of the answer.",
        "live",
        _of("negation", unit="µs/change"),
        lambda r: "machines without a job",
        floor=False,
        y="µs a change",
    ),
    Figure("Tuple windows", "A join of the last n facts.", "live", _of("tuples"), lambda r: "join"),
    Figure("Windows for each key", "The latest reading of each machine.", "live", _of("latest"), _rate),
    Figure(
        "A stream that repeats itself",
        "Nine of ten facts were there a tick ago; n = 800.",
        "w",
        lambda r: _of("diamond", "diamond-repeat", "join", "join-repeat")(r) and r.n == 800 and r.w <= 80,
        lambda r: r.experiment.replace("-repeat", ", repeating"),
    ),
    Figure("Rules over one stream", "One rule for each sensor.", "r", _of("rules"), lambda r: "n = 1,000, w = 20"),
    Figure(
        "Start-up",
        "Parsing and compiling large programs.",
        "r",
        lambda r: r.experiment.startswith("startup") and r.unit == "ms",
        lambda r: f"{r.output}{', sensors' if r.experiment.endswith('sensors') else ', mixed'}",
        floor=False,
        y="milliseconds",
    ),
)


def report(records: Sequence[Record], about: dict[str, str]) -> str:
    """A complete page without external files."""
    body = "".join(_sections(records, about))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    return f'<!doctype html><html lang="en"><head>{head}<title>Laser, measured</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>\n'


def _sections(records: Sequence[Record], about: dict[str, str]) -> Iterator[str]:
    yield "<h1>Laser, measured</h1>"
    yield (
        "<p>Medians of one run. The <em>floor</em> is the cost of iterating over the facts and hashing each into a set, measured "
        "in turns with everything else. Ratios to it are similar on other machines; microseconds are not.</p>"
    )
    yield _table(("", ""), about.items(), "about")
    yield "<h2>Targets</h2>" + _target_rows(records)
    yield "<h2>Figures</h2><div class='figures'>" + "".join(_figures(records)) + "</div>"
    yield from _peers(records)
    yield "<h2>How cost grows</h2><p>The exponent of a power law: 0 is flat, 1 is proportional.</p>" + _growths(records)
    yield "<h2>Every figure</h2><details><summary>Show the table</summary>" + _everything(records) + "</details>"


def _figures(records: Sequence[Record]) -> Iterator[str]:
    for figure in FIGURES:
        chosen = [r for r in records if figure.choose(r) and r.value and getattr(r, figure.axis) > 0]
        if chosen:
            yield _section(figure.title, figure.caption, lines(_series(figure, chosen), _AXES[figure.axis], figure.y))


def _section(title: str, caption: str, drawing: str) -> str:
    return f"<figure><h3>{escape(title)}</h3>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"


def _series(figure: Figure, chosen: Sequence[Record]) -> list[Series]:
    groups: dict[str, dict[float, float]] = {}
    floors: dict[float, list[float]] = {}
    for record in chosen:
        at = float(getattr(record, figure.axis))
        groups.setdefault(figure.label(record), {})[at] = record.value or 0
        if record.floor:
            floors.setdefault(at, []).append(record.floor)
    found = [Series(label, tuple(sorted(points.items()))) for label, points in groups.items()]
    if figure.floor and floors:
        means = tuple(sorted((at, sum(several) / len(several)) for at, several in floors.items()))
        found.append(Series("floor", means, quiet=True))
    return found


def _target_rows(records: Sequence[Record]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for outcome in outcomes(records):
            target = outcome.target
            sign = "≥" if target.at_least else "≤"
            value = "" if outcome.value is None else number(outcome.value)
            yield (target.text, f"{sign} {target.limit:g}", value, outcome.verdict)

    return _table(("target", "limit", "measured", ""), rows(), "targets")


def _peers(records: Sequence[Record]) -> Iterator[str]:
    drawings: list[str] = []
    for experiment in EXPERIMENTS:
        rows = [r for r in records if r.experiment == experiment.name and _beside(r)]
        cases = sorted({r.case for r in rows if r.value})
        drawings += [
            _peer_figure(f"{experiment.name}, {case}", [r for r in rows if r.case == case], rows) for case in cases
        ]
    if drawings:
        yield "<h2>Beside others</h2><p>The same stream in turns, by the wall clock, on a logarithmic axis. Each system first gave the same answers on a small stream. Systems that repeat a query give a snapshot at each tick; Pathway gives changes.</p>"
        yield "<div class='figures'>" + "".join(drawings) + "</div>"


def _beside(record: Record) -> bool:
    return record.output.endswith("beside peers") or record.system in {peer.name for peer in PEERS}


def _peer_figure(title: str, rows: Sequence[Record], everywhere: Sequence[Record]) -> str:
    ours = {r.output.split()[0]: r.value or 0 for r in rows if r.system == "laser"}
    shown: list[tuple[str, float | None, str]] = [
        (f"laser, {output}", value, number(value)) for output, value in ours.items()
    ]
    for peer in PEERS:
        mine = [r for r in rows if r.system == peer.name]
        reasons = [r for r in everywhere if r.system == peer.name and r.value is None]
        for record in mine or reasons[:1]:
            times = f"{number(record.value)}  (× {number(record.value / ours[record.output])})" if record.value else ""
            shown.append((peer.name, record.value, times or record.note))
    return _section(
        title, "µs a fact; in brackets, as a multiple of Laser's with the same output", bars(shown, "µs a fact")
    )


def _growths(records: Sequence[Record]) -> str:
    rows = (
        (g.experiment, f"{g.system}, {g.output}", g.unit, _AXES[g.axis], str(g.fixed), f"{g.exponent:+.2f}")
        for g in growths(records)
        if g.output not in ("memory",) and g.axis != "n"
    )
    return _table(("experiment", "system", "unit", "along", "held", "exponent"), rows)


def _everything(records: Sequence[Record]) -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for r in records:
            value = "-" if r.value is None else number(r.value)
            ratio = number(r.ratio) if r.ratio and r.floor else ""
            spread = f"{number(r.low)} to {number(r.high)}" if ratio and r.low and r.high else ""
            yield (r.experiment, str(r.case), r.system, r.output, value, r.unit, ratio, spread, r.note)

    heads = ("experiment", "case", "system", "output", "value", "unit", "× floor", "quartiles", "note")
    return _table(heads, rows())


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    top = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if any(heads) else ""
    return f'<div class="scroll"><table class="{kind}">{head}<tbody>{body}</tbody></table></div>'


def _cell(text: str) -> str:
    verdicts = {"met": "good", "NOT MET": "bad", "not measured": "open"}
    return f'<span class="{verdicts[text]}">{text}</span>' if text in verdicts else escape(text)
