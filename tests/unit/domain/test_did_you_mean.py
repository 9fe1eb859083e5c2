"""Near names for misspelt ones."""

from __future__ import annotations

from helio_dagster.domain.did_you_mean import near_names, remedy, suggestion


def test_case_does_not_count() -> None:
    """Ids are offered as they are spelt, whatever the case typed."""
    assert near_names("ac_h0_mfi", ["AC_H0_MFI", "WI_H0_MFI"])[0] == "AC_H0_MFI"


def test_only_names_about_as_near_as_the_nearest_are_offered() -> None:
    """One clear correction is not hidden among others."""
    assert suggestion("opertion", ["operation", "options", "inputs"]) == "Did you mean operation?"


def test_without_a_near_name_all_are_listed() -> None:
    """A person always learns what there is."""
    assert remedy("zzz", ["alpha", "beta"], what="steps") == "Steps: alpha, beta."
    assert remedy("zzz", [], what="steps") == "There are no steps."
