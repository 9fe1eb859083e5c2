"""Tables and their metadata."""

from __future__ import annotations

import numpy as np

from helio_dagster.domain.table import BinAxis, ColumnMeta, TableMeta


def test_a_bin_center_that_is_fill_survives_json() -> None:
    """Metadata cross pipes and files as JSON; a channel without a place on the axis is NaN before and after."""
    axis = BinAxis(unit="eV", centers=(10.0, float("nan")))
    meta = TableMeta(kind="spectrogram", columns=(ColumnMeta(name="a"), ColumnMeta(name="b")), bins=axis)
    again = TableMeta.model_validate_json(meta.model_dump_json())
    assert again.bins is not None
    np.testing.assert_array_equal(again.bins.centers, axis.centers)
