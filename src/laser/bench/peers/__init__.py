"""What people would use instead, each in its own documented way."""

from laser.bench.peers.clingo_asp import CLINGO, CLINGO_MULTI
from laser.bench.peers.duckdb_sql import DUCKDB
from laser.bench.peers.pathway_join import PATHWAY
from laser.bench.peers.peer import Peer
from laser.bench.peers.reference import REFERENCE
from laser.bench.peers.spark_sql import SPARK

__all__ = ["PEERS", "Peer"]

PEERS = (CLINGO, CLINGO_MULTI, PATHWAY, DUCKDB, SPARK, REFERENCE)
