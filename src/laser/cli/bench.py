"""``laser bench``: measure, compare, and check the targets."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import click

from laser.cli import messages, options
from laser.io.atomic import write_whole
from laser.phrases import count

if TYPE_CHECKING:
    from laser.bench.record import Record

__all__ = ["command"]


@click.command("bench")
@click.argument("experiments", nargs=-1)
@click.option("--quick", is_flag=True, help="Fewer cases and repetitions; takes two minutes.")
@click.option("--list", "show_list", is_flag=True, help="List the experiments.")
@click.option(
    "--peer", "peers", multiple=True, metavar="NAME", help="Compare only with this peer, such as duckdb. Repeatable."
)
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Write the measurements to this file.")
@click.option("--html", "html_file", type=click.Path(dir_okay=False), help="Write a report with plots to this file.")
@click.option("--from", "source", type=options.FILE, help="Measure nothing; read the measurements of a --csv file.")
@click.option(
    "--compare", "old", type=options.FILE, help="Show what is slower than in a --csv file; exit with 1 if anything is."
)
@click.option("--targets", is_flag=True, help="Show whether each target is met; exit with 1 if one is not.")
@click.option("--growth", is_flag=True, help="Show how the cost grows with windows, rates, rules and live facts.")
def command(**given: Any) -> int:
    """Measure EXPERIMENTS, or all, and compare them with a floor: iterating over the facts and hashing each into a set.

    Figures are medians. Ratios compare measurements that were taken in turns, in one run. Peers that are not installed are
    listed with the package to install.

    \b
    Examples:
      laser bench --quick
      laser bench diamond join --csv new.csv --compare old.csv
      laser bench --html report.html --csv report.csv --targets
      laser bench --from report.csv --targets --growth
    """
    return _run(BenchOptions(**given))


@dataclass(frozen=True)
class BenchOptions:
    """The options of the command."""

    experiments: tuple[str, ...]
    quick: bool
    show_list: bool
    peers: tuple[str, ...]
    csv_file: str | None
    html_file: str | None
    source: str | None
    old: str | None
    targets: bool
    growth: bool


def _run(wanted: BenchOptions) -> int:
    from laser.bench.suite import PARTS

    if wanted.show_list:
        click.echo("\n".join(f"{name:16} {title}" for name, title in PARTS.items()))
        return 0
    _check_names(wanted, PARTS)
    written = {"--csv": wanted.csv_file, "--html": wanted.html_file}
    options.different_files(written, [path for path in (wanted.source, wanted.old) if path])
    records, about = _taken(wanted.source) if wanted.source else _measured(wanted)
    _write(records, about, wanted)
    return _judge(records, wanted)


def _check_names(wanted: BenchOptions, parts: Iterable[str]) -> None:
    from laser.bench.peers import PEERS

    known = {"experiment": set(parts), "peer": {peer.name for peer in PEERS}}
    for kind, names in (("experiment", wanted.experiments), ("peer", wanted.peers)):
        for name in names:
            if name not in known[kind]:
                raise click.UsageError(f"there is no {kind} {name!r}: choose from {', '.join(sorted(known[kind]))}")


def _taken(source: str) -> tuple[list[Record], dict[str, str]]:
    from laser.bench.record import read_records

    return read_records(source)


def _measured(wanted: BenchOptions) -> tuple[list[Record], dict[str, str]]:
    """Run the tasks; print each result at once and, on a terminal, the task that is running."""
    from laser.bench import machine, suite, tables

    about = machine.about()
    for name, text in about.items():
        click.echo(f"{name}: {text}")
    click.echo(tables.titles())
    records: dict[object, Record] = {}
    chosen = suite.tasks(wanted.experiments, wanted.quick, wanted.peers)
    begin = monotonic()
    for number, task in enumerate(chosen, start=1):
        _progress(f"[{number}/{len(chosen)}, {monotonic() - begin:.0f} s] {task.label}")
        for record in task.measure():
            records[record.key] = record
            _progress("")
            click.echo(tables.line(record))
            sys.stdout.flush()
    _progress("")
    about |= {
        "load after": machine.load(),
        "seconds": f"{monotonic() - begin:.0f}",
        "effort": "quick" if wanted.quick else "full",
    }
    return list(records.values()), about


def _progress(text: str) -> None:
    """Show a progress line that is overwritten, if standard error is a terminal."""
    if messages.on_terminal():
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)


def _write(records: list[Record], about: dict[str, str], wanted: BenchOptions) -> None:
    from laser.bench.record import write_records
    from laser.bench.report import report

    if wanted.csv_file:
        with write_whole(wanted.csv_file) as out:
            write_records(out, records, about)
    if wanted.html_file:
        with write_whole(wanted.html_file) as out:
            out.write(report(records, about))
    for path in (wanted.csv_file, wanted.html_file):
        if path:
            messages.say(f"wrote {Path(path)}")


def _judge(records: list[Record], wanted: BenchOptions) -> int:
    from laser.bench import tables
    from laser.bench.compare import compare
    from laser.bench.record import read_records
    from laser.bench.targets import outcomes

    failed = False
    if wanted.growth:
        click.echo("\n".join(["", *tables.growth_lines(records)]))
    if wanted.old:
        differences = list(compare(read_records(wanted.old)[0], records))
        beyond = [difference for difference in differences if difference.beyond_noise]
        click.echo(f"\n{count(len(differences), 'measurement')} in both runs; {len(beyond)} differ by more than noise")
        click.echo("".join(f"{difference}\n" for difference in beyond), nl=False)
        failed = any(difference.factor > 1 for difference in beyond)
    if wanted.targets:
        click.echo("\n".join(["", *tables.target_lines(records)]))
        failed = failed or any(outcome.verdict == "NOT MET" for outcome in outcomes(records))
    return int(failed)
