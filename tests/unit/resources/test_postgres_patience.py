"""A connection to the record that ends in mid-question: whoever asks is answered all the same, and nothing is stored twice."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import dagster as dg
import pytest
from dagster._core.errors import DagsterRunAlreadyExists

from helio_dagster.domain.errors import StorageError
from helio_dagster.resources.dagster_internals import (
    AssetCheckEvaluationPlanned,
    DagsterEvent,
    DagsterEventType,
    StepMaterializationData,
)
from helio_dagster.resources.postgres_questions import PostgresQuestions
from tests.cut_wire import Wire, wire_to
from tests.postgres import ask

pytest.importorskip("dagster_postgres", reason="left out without the extra postgres")
RUN = "0f8fad5b-d9cb-469f-a165-70867728950e"
STARTED = DagsterEvent(DagsterEventType.RUN_START.value, "job")


@dataclass
class Record:
    """The storages of a record, asked through a wire."""

    wire: Wire
    through: str
    address: str

    def __post_init__(self) -> None:
        from helio_dagster.domain.postgres_address import sqlalchemy_address
        from helio_dagster.resources import postgres_record as storages

        address = sqlalchemy_address(self.through)
        self.runs = storages.PooledPostgresRunStorage(address)
        self.events = storages.BatchedPostgresEventLogStorage(address)
        self.schedules = storages.PooledPostgresScheduleStorage(address)

    def add_run(self) -> None:
        """Store a run."""
        self.runs.add_run(dg.DagsterRun("job", RUN, status=dg.DagsterRunStatus.STARTING, tags={"a": "b"}))

    def begin_run(self) -> None:
        """Store a run and that it was begun."""
        self.add_run()
        self.runs.handle_run_event(RUN, STARTED)

    def log(self, *kinds: DagsterEventType) -> None:
        """Store events of a run; those about assets together."""
        check = dg.AssetCheckEvaluation(dg.AssetKey("x"), "fine", passed=True, metadata={})
        made = StepMaterializationData(dg.AssetMaterialization("x", partition="2023-01-02", tags={"helio/code_version": "1"}))
        about: dict[DagsterEventType, Any] = {
            DagsterEventType.ASSET_CHECK_EVALUATION: check,
            DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED: AssetCheckEvaluationPlanned(
                asset_key=dg.AssetKey("x"), check_name="fine"
            ),
            DagsterEventType.ASSET_MATERIALIZATION: made,
        }
        with self.events.batch():
            for kind in kinds:
                event = DagsterEvent(kind.value, "job", event_specific_data=about.get(kind))
                self.events.store_event(dg.EventLogEntry(None, "debug", "", RUN, time.time(), dagster_event=event))  # type: ignore[no-untyped-call]  # Dagster's

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """An answer that is not asked through the wire."""
        return ask(self.address, query)


@pytest.fixture
def record(postgres: str) -> Iterator[Record]:
    """A record behind a wire."""
    with wire_to(postgres) as (wire, through):
        found = Record(wire, through, postgres)
        yield found
        for each in (found.runs, found.events, found.schedules):
            each.dispose()


Do = Callable[[Record], object]
LOGGED = "SELECT dagster_event_type, count(*) FROM event_logs GROUP BY 1 ORDER BY 1"
CASES: dict[str, tuple[Do, str, str, list[tuple[object, ...]]]] = {
    "a new run": (Record.add_run, "INSERT INTO runs ", "SELECT run_id, status FROM runs", [(RUN, "STARTING")]),
    "its tags": (Record.add_run, "INSERT INTO run_tags ", "SELECT key, value FROM run_tags WHERE key = 'a'", [("a", "b")]),
    "its state": (
        Record.begin_run,
        "UPDATE runs SET",
        "SELECT status FROM runs",
        [("STARTED",)],
    ),
    "an event": (
        lambda record: record.log(DagsterEventType.STEP_START),
        "INSERT INTO event_logs ",
        LOGGED,
        [("STEP_START", 1)],
    ),
    "its notice": (lambda record: record.log(DagsterEventType.STEP_START), "NOTIFY ", LOGGED, [("STEP_START", 1)]),
    "the row of a check": (
        lambda record: record.log(DagsterEventType.ASSET_CHECK_EVALUATION),
        " asset_check_executions ",
        "SELECT asset_key, check_name FROM asset_check_executions",
        [('["x"]', "fine")],
    ),
    "the row of a planned check": (
        lambda record: record.log(DagsterEventType.ASSET_CHECK_EVALUATION_PLANNED),
        " asset_check_executions ",
        "SELECT asset_key, check_name FROM asset_check_executions",
        [('["x"]', "fine")],
    ),
    "a partition": (
        lambda record: record.log(DagsterEventType.ASSET_MATERIALIZATION),
        "INSERT INTO event_logs ",
        LOGGED,
        [("ASSET_MATERIALIZATION", 1)],
    ),
    "a sign of life": (
        lambda record: record.runs.set_cursor_values({"a": "b"}),
        "INSERT INTO kvs ",
        "SELECT value FROM kvs WHERE key = 'a'",
        [("b",)],
    ),
    "a question": (lambda record: record.runs.get_runs(), "FROM runs", "SELECT 1", [(1,)]),
    "a question about schedules": (
        lambda record: record.schedules.all_instigator_state(),
        "FROM instigators",
        "SELECT 1",
        [(1,)],
    ),
}
"""What is done, the words of the question that is cut off, and what the record then has."""


@pytest.mark.parametrize("is_heard", [False, True], ids=["unheard", "unanswered"])
@pytest.mark.parametrize("case", CASES)
def test_what_was_not_answered_is_asked_again(record: Record, case: str, is_heard: bool) -> None:
    """And found there where only the answer was lost."""
    do, words, query, expected = CASES[case]
    record.wire.cut_at(words, is_heard=is_heard)
    do(record)
    assert record.wire.cut.is_set()
    assert record.rows(query) == expected


def test_a_refusal_is_not_asked_again(record: Record) -> None:
    """A run that is there already is so at once."""
    record.add_run()
    with pytest.raises(DagsterRunAlreadyExists):
        record.add_run()


def test_a_server_that_comes_back_soon_is_waited_for(postgres: str) -> None:
    """By whoever says so; others are told at once."""
    with wire_to(postgres) as (wire, through):
        target, waits = wire.target, list[float]()

        def come_back(seconds: float) -> None:
            waits.append(seconds)
            wire.target = target if len(waits) == 3 else wire.target

        def go() -> None:
            wire.target = ("127.0.0.1", 1)

        questions = PostgresQuestions(through, sleep=come_back)
        wire.cut_at("SELECT 7", go)
        assert questions.rows("SELECT 7", patience_s=60.0) == [(7,)]
        assert len(waits) == 3
        wire.cut_at("SELECT 8", go)
        with pytest.raises(StorageError, match="cannot be used"):
            questions.rows("SELECT 8")
        with pytest.raises(StorageError, match="does not exist"):
            PostgresQuestions(postgres).rows("SELECT nothing", patience_s=60.0)
        questions.close()
