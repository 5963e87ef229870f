"""What jobs are called in Spark's UI, and that a user's own names stay."""

from __future__ import annotations

from types import SimpleNamespace

from laser.cli import main
from laser.spark import reason
from laser.spark.cluster import named
from tests.spark.test_run import LINES, PIPELINE, RULES

PROPERTIES = ("spark.job.description", "spark.jobGroup.id")


def jobs(spark):
    """The descriptions and groups of all jobs that Spark remembers, by id."""
    found = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return {
        job.jobId(): (value_of(job.description()), value_of(job.jobGroup()))
        for job in (found.apply(i) for i in range(found.size()))
    }


def value_of(option):
    return option.get() if option.isDefined() else None


def test_a_step_follows_the_users_job_description_which_is_then_restored(spark):
    context = spark.sparkContext
    before = jobs(spark).keys()
    context.setJobGroup("nightly", "the nightly report")
    try:
        with named(spark, "read background room"):
            spark.range(3).count()
        spark.range(3).count()
        assert [context.getLocalProperty(name) for name in PROPERTIES] == ["the nightly report", "nightly"]
    finally:
        for name in PROPERTIES:
            context.setLocalProperty(name, None)
    fresh = {told for job, told in jobs(spark).items() if job not in before}
    assert fresh == {("the nightly report: read background room", "nightly"), ("the nightly report", "nightly")}


def test_without_a_users_description_a_step_is_described_alone_and_then_cleared(spark):
    before = jobs(spark).keys()
    readings = spark.createDataFrame([(1, "m1", 95)], "t int, machine string, v int")
    rooms = spark.createDataFrame([("m1", "hall")], "machine string, room string")
    program = "hot(M, R) :- temp(M, V), room(M, R), V > 90."
    answers = reason(program, {"temp": readings}, time="t", background={"room": rooms}, engine="reasoner")
    fresh = [told for job, told in jobs(spark).items() if job not in before]
    assert {text for text, _ in fresh} == {"laser: read background room", "laser: first and last time of the inputs"}
    assert [spark.sparkContext.getLocalProperty(name) for name in PROPERTIES] == [None, None]
    answers.unpersist()


def test_job_descriptions_of_a_stream_name_the_program_the_batch_and_the_step(spark, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "readings.csv").write_text("\n".join(LINES) + "\n", "utf-8")
    (tmp_path / "in" / "z.csv").write_text("t,machine,value\n40,m0,1\n", "utf-8")
    (tmp_path / "rules.lars").write_text(RULES, "utf-8")
    text = PIPELINE.replace("in/readings.csv", "in").replace("schema", 'format = "csv"\nschema')
    (tmp_path / "pipeline.toml").write_text(text, "utf-8")
    before = jobs(spark).keys()
    flags = ["--follow", "--every", "once", "--checkpoint", str(tmp_path / "state"), "--quiet"]
    main(["run", str(tmp_path / "pipeline.toml"), *flags], standalone_mode=False)
    fresh = {text.replace("\n", " ") for job, (text, _) in jobs(spark).items() if job not in before and text}
    assert {"rules: batch 0: reason", "rules: batch 1: reason", "rules rejects: batch 0"} <= fresh
    assert "rules: batch 1: write alarm" in fresh


def test_a_session_without_its_own_context_is_not_changed():
    connect = type("SparkSession", (SimpleNamespace,), {"__module__": "pyspark.sql.connect.session"})()
    with named(connect, "any"):
        pass
