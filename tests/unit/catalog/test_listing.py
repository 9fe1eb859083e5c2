"""What a listing and a master say becomes facts; what was stated stays told apart from what was inferred."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from helio_dagster.archives.cdas.messages import DatasetDescription, VariableDescription
from helio_dagster.archives.cdf.master import MasterDescription, MasterParameter
from helio_dagster.catalog.database import CatalogDatabase, write_database
from helio_dagster.catalog.facts import DatasetFacts
from helio_dagster.catalog.listing import has_changed, join_listed, join_master, mark_gone, with_variables

NOW = datetime(2026, 5, 4, tzinfo=UTC)
_LISTED = {
    "Id": "AC_H0_MFI",
    "Label": "H0 - ACE Magnetic Field 16-Second Level 2 Data - N. Ness (Bartol Research Institute)",
    "InstrumentType": ["Magnetic Fields (space)"],
    "TimeInterval": {"Start": "1997-09-02T00:00:12.000Z", "End": "2026-02-23T23:59:57.000Z"},
    "PiName": "N. Ness",
    "Doi": "https://doi.org/10.48322/e0dc-0h53",
    "DatasetLink": [{"Title": "ACE Science Center", "Text": "data at", "Url": "https://ace.test/"}],
    "AdditionalMetadata": [{"Type": "SPASE", "value": "https://spase.test/ACE.json"}],
}


def _listed(**changes: object) -> DatasetDescription:
    return DatasetDescription.model_validate({**_LISTED, **changes})


def _master(**changes: object) -> MasterDescription:
    parameter = MasterParameter(
        name="B", description="Magnetic field", unit="nT", size=(3,), display="stack_plot>y=B", frame="GSM>Solar", depend_1="x"
    )
    return MasterDescription.model_validate({"parameters": (parameter,), "resolution": "16 second", **changes})


def _stored(facts: DatasetFacts, tmp_path: Path) -> DatasetFacts | None:
    write_database(tmp_path / "c.sqlite", [facts], {})
    return CatalogDatabase(tmp_path / "c.sqlite").dataset(facts.dataset)


def test_new_dataset() -> None:
    """A listing alone tells label, type, times, investigator, DOI, and where more is told."""
    facts = join_listed(None, _listed(), NOW)
    assert facts.label == "H0 - ACE Magnetic Field 16-Second Level 2 Data"
    assert (facts.mission, facts.instrument_type, facts.doi) == ("ACE", "mag", "10.48322/e0dc-0h53")
    assert facts.stop == datetime(2026, 2, 23, 23, 59, 57, tzinfo=UTC)
    assert facts.is_current
    assert facts.notes == "ACE Science Center: https://ace.test/ SPASE: https://spase.test/ACE.json"


def test_stated_facts_live_through_the_file(tmp_path: Path) -> None:
    """Display, frame, axis and cadence that a master states are stated still when the catalog is read."""
    facts = join_master(join_listed(None, _listed(), NOW), _master(acknowledgement="Thanks."), NOW)
    stored = _stored(facts, tmp_path)
    assert stored == facts
    (parameter,) = facts.parameters
    assert parameter.frame is not None
    assert (parameter.frame.value, parameter.frame.certainty) == ("GSM", "stated")
    assert (parameter.display.value, parameter.display.certainty) == ("stack_plot", "stated")
    assert parameter.depend_1 == "x"
    assert facts.cadence_from is not None
    assert facts.cadence_from.certainty == "stated"


def test_stated_cadence_outlives_a_new_listing() -> None:
    """A listing that only grows changes the time range and nothing that the master told."""
    known = join_master(join_listed(None, _listed(), NOW), _master(acknowledgement="Thanks."), NOW)
    grown = _listed(TimeInterval={"Start": "1997-09-02T00:00:12.000Z", "End": "2026-04-30T00:00:00.000Z"})
    facts = join_listed(known, grown, NOW)
    assert not has_changed(known, facts)
    assert (facts.cadence_from, facts.acknowledgement, facts.parameters) == (
        known.cadence_from,
        known.acknowledgement,
        known.parameters,
    )
    assert facts.stop == datetime(2026, 4, 30, tzinfo=UTC)


def test_changes_that_count() -> None:
    """Another label, investigator, DOI, or other notes ask for the master; notes where none were known do not."""
    known = join_listed(None, _listed(), NOW)
    for change in ({"Label": "Other"}, {"PiName": "C. Smith"}, {"Doi": "10.1234/other"}, {"Notes": "Calibrated anew."}):
        assert has_changed(known, join_listed(known, _listed(**change), NOW))
    bare = join_listed(None, _listed(DatasetLink=None, AdditionalMetadata=None), NOW)
    assert not has_changed(bare, join_listed(bare, _listed(), NOW))


def test_silence_keeps_what_was_known() -> None:
    """What a listing leaves out stays as it was."""
    known = join_listed(None, _listed(), NOW)
    facts = join_listed(known, DatasetDescription(id="AC_H0_MFI"), NOW)
    assert facts == known


def test_unknown_words_of_display_and_frame() -> None:
    """A display that is not a display of ours, and a frame that is none, are inferred as before."""
    odd = MasterParameter(name="B", unit="nT", size=(3,), display="plasma_movie>x", frame="sensor")
    (parameter,) = join_master(join_listed(None, _listed(), NOW), _master(parameters=(odd,)), NOW).parameters
    assert parameter.display.certainty == "likely"
    assert parameter.frame is None


def test_mark_of_the_gone_is_set_once() -> None:
    """The first date stays, beside the notes."""
    gone = mark_gone(join_listed(None, _listed(), NOW), NOW)
    assert gone.notes.endswith("ACE.json Not listed by the archive since 2026-05-04.")
    assert mark_gone(gone, NOW.replace(month=6)) == gone
    assert not has_changed(gone, join_listed(gone, _listed(), NOW))


def test_variables_stand_in() -> None:
    """Names and descriptions of the service, each name once."""
    listed = [VariableDescription(name=name, long_description="Magnetic field") for name in ("B", "B", "C", " ")]
    facts = with_variables(join_listed(None, _listed(), NOW), listed)
    assert [one.name for one in facts.parameters] == ["B", "C"]
