"""What the look-ups of a model find, in short documents; they read and change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from helio_dagster.agent.model.lookups import compact

from .conftest import Talk, call

Ask = Callable[..., Talk]


def found(ask: Ask, tool: str, request: str = "ACE in October 2003", archive: str = "cdaweb", **args: Any) -> Any:
    """What a look-up answers the model."""
    talk = ask([call(tool, **args), call("refuse", reasons=["enough"])], request, archive=archive)
    [part] = talk.model.requests[1][-1].parts
    content = str(part.content)
    return json.loads(content) if content.startswith("{") else content


def test_datasets_come_with_parameters_and_whether_they_cover_the_asked_time(ask: Ask) -> None:
    """Enough to choose by: cadence, unit, frame; a dataset that begins later says so."""
    datasets = {each["dataset"]: each for each in found(ask, "search_catalog", words="ACE magnetic field", count=8)["datasets"]}
    assert "covers_asked_time" not in datasets["AC_H0_MFI"]
    assert datasets["AC_K0_MFI"]["covers_asked_time"] is False
    assert any(each.startswith("BGSEc (nT, GSE, [3]): ") for each in datasets["AC_H0_MFI"]["parameters"])
    assert datasets["AC_H0_MFI"]["cadence"] == "PT16S"


def test_each_look_up_is_told_with_its_result_and_time(ask: Ask) -> None:
    """One that finds nothing is told as failed; tokens, rounds and time of all of it stand in the last event."""
    turns = [
        call("availability", dataset="AC_H0_MFI"),
        call("availability", dataset="NOT_THERE"),
        call("refuse", reasons=["enough"]),
    ]
    talk = ask(turns, "ACE in October 2003")
    first, second = talk.told("look_up")
    assert (first.facts["tool"], first.facts["arguments"], first.facts["failed"]) == (
        "availability",
        {"dataset": "AC_H0_MFI"},
        False,
    )
    assert first.text.startswith("availability(dataset='AC_H0_MFI'): ")
    assert second.facts["failed"]
    [usage] = talk.told("usage")
    assert (usage.facts["requests"], usage.facts["tool_calls"]) == (3, 2)
    assert usage.facts["seconds"] >= 0


def test_a_search_is_bounded(ask: Ask) -> None:
    """Whatever number is asked for, eight datasets at most."""
    assert len(found(ask, "search_catalog", words="magnetic field", count=1000)["datasets"]) == 8
    assert len(found(ask, "search_catalog", words="magnetic field", count=-5)["datasets"]) == 1


def test_a_search_may_be_of_one_mission(ask: Ask) -> None:
    """A mission that does not exist is told with near names."""
    document = found(ask, "search_catalog", words="magnetic field", mission="wind")
    assert document["mission"] == "Wind"
    assert not any("mission" in each for each in document["datasets"])
    assert "Wind" in found(ask, "search_catalog", words="magnetic field", mission="Winf")


def test_parameters_are_listed_those_first_that_fit(ask: Ask) -> None:
    """A dataset with hundreds of them stays short, and says how many are left out."""
    listed = found(ask, "dataset_parameters", dataset="OMNI_HRO_1MIN", words="flow pressure")
    assert listed["parameters"][0].startswith("Pressure (")
    assert "F" in listed["others"]
    long = found(ask, "dataset_parameters", dataset="PSP_FLD_L2_DFB_AC_SPEC_DV12HG")
    assert len(json.dumps(long)) < 8000


def test_availability_tells_start_stop_and_cadence(ask: Ask) -> None:
    """A mission that is over has a stop; the asked time is compared."""
    told = found(ask, "availability", request="Ulysses in 2020", dataset="UY_1MIN_VHM")
    assert told["stop"].startswith("2009")
    assert told["covers"] is False


def test_operations_are_found_by_what_they_do_and_accept(ask: Ask) -> None:
    """Inputs and options stand beside them."""
    operations = found(ask, "search_operations", words="smooth", kind="series")["operations"]
    assert operations[0]["operation"] == "rolling_mean"
    assert operations[0]["options"]["window"].startswith("required")
    assert found(ask, "search_operations", words="magnitude", kind="events")["operations"] == []


@pytest.mark.parametrize("words", ["magnetogram inversion", "machine learning classification", "solar flare forecast model"])
def test_a_search_that_fits_nothing_says_so(ask: Ask, words: str) -> None:
    """Not the nearest few, which a model would take."""
    document = found(ask, "search_operations", words=words)
    assert document["operations"] == []
    assert document["note"].startswith("No operation does this")


def test_a_mission_alone_lists_its_datasets(ask: Ask) -> None:
    """Asked with its name or in a sentence; a fleet tells its spacecraft."""
    document = found(ask, "search_catalog", words="what does Ulysses measure")
    assert document["mission"] == "Ulysses"
    named = [each["dataset"] for each in document["datasets"]] + document["other_datasets"]
    assert {"UY_1MIN_VHM", "UY_COHO1HR_MERGED_MAG_PLASMA"} <= set(named)
    assert document == found(ask, "search_catalog", words="", mission="Ulysses")
    assert "Cluster 1" in found(ask, "search_catalog", words="Cluster")["spacecraft"]
    assert "measures" not in found(ask, "search_catalog", words="magnetic field", mission="Ulysses")


def test_a_dataset_without_hits_shows_its_main_parameters(ask: Ask) -> None:
    """A search by instrument or id names no quantity."""
    for each in found(ask, "search_catalog", words="WI_H1_SWE")["datasets"]:
        assert each["parameters"]


def test_operation_docs_tell_the_formula(ask: Ask) -> None:
    """All that is to be known of one; an unknown one is told with near names."""
    assert "Formula" in found(ask, "operation_docs", operation="plasma_beta")["text"]
    assert "plasma_beta" in found(ask, "operation_docs", operation="plasma_betta")


def test_function_docs_tell_the_signature(ask: Ask) -> None:
    """Of a name, or of words."""
    assert "fs" in found(ask, "function_docs", name="scipy.signal.welch")["signature"]
    assert found(ask, "function_docs", name="butterworth filter")["functions"]


def test_the_demo_archive_is_searched_in_itself(ask: Ask) -> None:
    """The synthetic datasets, those first that fit; nothing of the real catalog."""
    document = found(ask, "search_catalog", archive="demo", words="solar wind speed ACE")
    assert document["archive"] == "demo"
    assert document["datasets"][0]["dataset"] == "AC_H0_SWE"
    assert "parameters" in found(ask, "dataset_parameters", archive="demo", dataset="AC_H0_MFI")
    assert "there is no dataset" in found(ask, "dataset_parameters", archive="demo", dataset="MMS1_FGM_SRVY_L2")


@pytest.mark.parametrize("count", [1, 500])
def test_a_document_is_cut_at_its_list(count: int) -> None:
    """Short JSON stays as it is; of a long one the last items go, and their number is told."""
    text = compact({"datasets": [{"dataset": f"D{place}", "label": "x" * 80} for place in range(count)]})
    assert len(text) <= 6000
    read = json.loads(text)
    assert len(read["datasets"]) + read.get("left_out", 0) == count


def test_datasets_of_servers_are_found_where_the_catalog_has_none_of_the_words(ask: Ask) -> None:
    """With the archive to fetch from, and ids as the server has them: they are looked up and named like any other."""
    datasets = found(ask, "search_catalog", words="LISIRD TSI", count=4)["datasets"]
    assert {each["archive"] for each in datasets[:3]} == {"hapi:lisird"}
    swarm = found(ask, "search_catalog", words="Swarm A magnetic field", count=4)["datasets"][0]
    assert (swarm["archive"], swarm["dataset"]) == ("hapi:vires", "SW_OPER_MAGA_LR_1B")
    listed = found(ask, "dataset_parameters", dataset="SW_OPER_MAGA_LR_1B", words="B_NEC")
    assert listed["parameters"][0].startswith("B_NEC (nT")
