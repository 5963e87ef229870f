"""DuckDB: the window in tables, which each time point updates, and queries that run again at each time point."""

from __future__ import annotations

from laser.bench.case import Batch, Case, Experiment, Fact
from laser.bench.peers.peer import Peer
from laser.bench.peers.sql import STEPS, TABLES, queries

__all__ = ["DUCKDB"]

_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE"}


class DuckDb:
    """An in-memory database."""

    def __init__(self, experiment: Experiment, case: Case) -> None:
        import duckdb

        self.experiment, self.case = experiment, case
        self.tables = TABLES[experiment.name]
        self.total = 0
        self.found: list[tuple[str, int, list[Fact]]] = []
        self.connection = duckdb.connect()
        for name, types in self.tables.items():
            columns = ", ".join(f"c{i} {_TYPES[kind]}" for i, kind in enumerate(types))
            self.connection.execute(f"CREATE TABLE {name} ({columns}, t BIGINT, seq BIGINT)")

    def load(self, t: int, facts: list[Fact]) -> None:
        numbered = dict(zip(dict.fromkeys(facts), range(self.total + 1, self.total + 1 + len(facts)), strict=False))
        self.total += len(numbered)
        for name in self.tables:
            rows = [(fact, seq) for fact, seq in numbered.items() if fact[0] == name]
            if rows:
                self.insert(name, t, rows)
            self.expire(name, t)
        for step in STEPS.get(self.experiment.name, ()):
            self.connection.execute(step)

    def insert(self, name: str, t: int, rows: list[tuple[Fact, int]]) -> None:
        columns = [list(column) for column in zip(*(fact[1:] for fact, _ in rows), strict=True)]
        lists = [*columns, [seq for _, seq in rows]]
        places = [f"unnest(${i})" for i in range(1, len(lists) + 1)]
        select = ", ".join([*places[:-1], str(t), places[-1]])
        self.connection.execute(f"INSERT INTO {name} SELECT {select}", lists)

    def expire(self, name: str, t: int) -> None:
        if self.experiment.name == "tuples":
            self.connection.execute(f"DELETE FROM {name} WHERE seq <= {self.total - self.case.live}")
        elif self.experiment.name == "latest":
            newer = f"SELECT 1 FROM {name} newer WHERE newer.c0 = {name}.c0 AND newer.seq > {name}.seq"
            self.connection.execute(f"DELETE FROM {name} WHERE EXISTS ({newer})")
        elif name != "machine":
            self.connection.execute(f"DELETE FROM {name} WHERE t < {t - self.experiment.reach(self.case)}")

    def run(self, batches: list[Batch]) -> int:
        out = 0
        for t, facts in batches:
            self.load(t, facts)
            asked = queries(self.experiment, self.case, max(0, t - self.case.w), t)
            self.found = [(head, arity, self.connection.execute(text).fetchall()) for head, arity, text in asked]
            out += sum(len(rows) for _, _, rows in self.found)
        return out

    def answer(self) -> set[Fact]:
        return {(head, *row[:arity]) for head, arity, rows in self.found for row in rows}

    def close(self) -> None:
        self.connection.close()


DUCKDB = Peer("duckdb", "DuckDB, asked again", "duckdb", "duckdb", DuckDb)
