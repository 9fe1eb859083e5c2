"""One order of datasets for people, both planners and the tools of a language model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from helio_dagster.agent.answers import Plan
from helio_dagster.agent.offline.offline_planner import OfflinePlanner
from helio_dagster.agent.planner import Situation
from helio_dagster.catalog.choice.finding import DatasetFinder
from helio_dagster.catalog.choice.questions import read_questions
from helio_dagster.catalog.searching import Facets
from helio_dagster.domain.time_words import parse_span
from tests.unit.agent.knowledge import shipped_knowledge

NOW = datetime(2026, 3, 10, 15, 30, tzinfo=UTC)
QUESTIONS = {
    "ACE magnetic field": "2016-03-01",
    "Wind spacecraft magnetic field": "2016-03-01",
    "Ulysses magnetic field": "2003-10-29",
    "Voyager 1 magnetic field": "1979-03-05",
    "MAVEN magnetic field": "2016-03-01",
    "ACE solar wind speed": "2016-03-01",
    "DSCOVR density": "2017-03-01",
    "MMS1 electron density": "2016-03-01",
    "THEMIS-A electric field": "2016-03-01",
    "STEREO-A density": "2012-07-23",
    "Dst": "2016-03-01",
    "Kp index": "2016-03-01",
    "SYM-H": "2016-03-01",
    "AE index": "2016-03-01",
    "F10.7": "2016-03-01",
    "Wind MFI magnetic field": "2016-03-01",
    "Wind 3-second magnetic field": "2016-03-01",
    "ACE SWEPAM density": "2016-03-01",
    "Geotail position": "2005-03-01",
    "latitude of Ulysses": "2003-10-29",
}


@pytest.mark.parametrize(("question", "day"), QUESTIONS.items(), ids=list(QUESTIONS))
def test_search_and_plan_take_the_same_dataset(question: str, day: str) -> None:
    """What a person finds first by the words is what the plan for the same words fetches."""
    knowledge = shipped_knowledge()
    facets = Facets(span=parse_span(day, None, NOW))
    found = DatasetFinder(knowledge.catalog, knowledge.search).search(question, facets=facets, count=3)
    answer = OfflinePlanner(knowledge).answer(Situation(f"{question} for {day}", NOW))
    assert isinstance(answer, Plan)
    fetched = [step.fetch.dataset for step in answer.pipeline.steps if step.fetch is not None]
    assert found.hits[0].dataset.dataset == fetched[0]


@pytest.mark.parametrize(
    "query",
    ["AC_H0_MFI", "MMS burst electron moments", "lunar X-ray imager", "GOES-15 position", "ACE high resolution magnetic field"],
)
def test_what_says_more_than_a_quantity_is_left_to_the_words(query: str) -> None:
    """A resolution, an id or an unknown word narrows the search: then the words alone decide."""
    knowledge = shipped_knowledge()
    assert read_questions(query) == []
    found = DatasetFinder(knowledge.catalog, knowledge.search).search(query, count=5)
    assert found == knowledge.search.search(query, facets=Facets(), count=5)
