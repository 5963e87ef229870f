"""Batches over Spark Connect. Its client needs libraries of its own, which the environment of the tests may lack."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_random_programs_over_spark_connect_give_the_answers_of_the_reference():
    pytest.importorskip("grpc", reason="Spark Connect needs grpcio and grpcio-status")
    pytest.importorskip("grpc_status", reason="Spark Connect needs grpcio and grpcio-status")
    command = [sys.executable, "-m", "tests.spark.programs", "3", "--only", "batch", "--connect"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
