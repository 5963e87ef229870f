"""Random programs through real streams and tables, and histories by SQL: a few in all tests, a dozen and then hundreds in ``make test-spark``."""

from __future__ import annotations

import warnings
from itertools import islice

import pytest

from tests.spark.programs import LOWERED, histories, run, settings

PROGRAMS = dict(islice(settings(0), 12))
FEW = 4
NAMES = [name if i < FEW else pytest.param(name, marks=pytest.mark.long) for i, name in enumerate(PROGRAMS)]


@pytest.mark.parametrize("way", ["stream", "batch"])
@pytest.mark.parametrize("name", NAMES)
def test_random_programs_on_spark_give_the_answers_of_the_reference(spark, way, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(spark, way, name, PROGRAMS[name]) == ""


def test_random_histories_by_sql_on_spark_give_the_answers_of_the_reference(spark):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, setting in islice(histories(0), 6):
            assert run(spark, "sql", name, setting) == ""
    assert LOWERED.total() >= 3
