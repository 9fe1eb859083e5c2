"""The data version: one hash over a table's canonical content. The only place where it is computed."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from helio_dagster.domain.large_arrays import record_blocks
from helio_dagster.domain.table import Table


def data_version(table: Table) -> str:
    """Sha256 (hex) over names, dtypes, units, labels, bin axis and values.

    Equal content gives an equal version whatever run, cut or machine made it: NaNs count alike, the byte order is fixed, and
    the archive's other attributes do not count.
    """
    digest = hashlib.sha256()
    meta = table.meta.model_dump(mode="json", exclude={"attributes"})
    digest.update(json.dumps(meta, sort_keys=True, separators=(",", ":")).encode())
    _update(digest, "time", table.time)
    for name, values in table.columns.items():
        _update(digest, name, values)
    return digest.hexdigest()


def _update(digest: hashlib._Hash, name: str, values: NDArray[Any]) -> None:
    if values.dtype.kind in "OUT":
        words = json.dumps([str(value) for value in values], separators=(",", ":"))
        digest.update(f"\n{name} text {len(values)}\n{words}".encode())
        return
    kind = values.dtype.newbyteorder("<").str if values.dtype.kind not in "Mm" else "<i8"
    digest.update(f"\n{name} {kind} {'x'.join(map(str, values.shape))}\n".encode())
    for part in [values] if values.ndim == 1 else (values[block] for block in record_blocks(values)):
        digest.update(np.ascontiguousarray(_canonical(part)).data.cast("B") if part.size else b"")


def _canonical(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "Mm":
        return values.astype("datetime64[ns]" if values.dtype.kind == "M" else "timedelta64[ns]").view("<i8")
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    if values.dtype.kind == "f":
        missing = np.isnan(values)
        if missing.any():
            values = np.where(missing, values.dtype.type(np.nan), values)
    return values
