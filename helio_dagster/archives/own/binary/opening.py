"""Open a binary file with the reader of its format. Loaded only by the worker."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from helio_dagster.archives.own.binary.magic import kind_of
from helio_dagster.archives.own.binary.seen import Contents, Fault

_READERS = {"netcdf": ("hdf5", "classic"), "hdf5": ("hdf5",), "fits": ("fits",), "votable": ("votable",), "excel": ("excel",)}
_CALLED = {"netcdf": "netCDF", "hdf5": "HDF5", "fits": "FITS", "votable": "VOTable", "excel": "Excel"}
_EXTRAS = {"h5py": "netcdf", "astropy": "fits", "openpyxl": "excel"}
_FOR_A_BLOCK = 64 << 20


def open_contents(path: Path, form: str, table: str | None, fault: Fault, allow: Callable[[int], None]) -> Contents:
    """Open a file.

    Parameters
    ----------
    path, form, table
        The file, its format and which of its tables.
    fault
        Makes errors.
    allow
        Called with how many bytes of values reading may hold at a time, before a library may allocate any.

    Raises
    ------
    OwnFileError
        It is of another format, cannot be read, or the package that reads it is not installed.
    """
    reader, what = kind_of(path)
    if reader not in _READERS[form]:
        hint = "Give its `format`, or copy the file again." if reader else "Convert it, or give its `format`."
        hint = "Unpack it: gunzip FILE." if what == "compressed by gzip" else hint
        raise fault(f"it is not a file of the format {_CALLED[form]}: it is {what}", hint)
    try:
        return _opened(reader, path, table, fault, allow)
    except ImportError as error:
        package = (error.name or "").split(".")[0]
        if package not in _EXTRAS:
            raise
        problem = f"files of the format {_CALLED[form]} need the package {package}, which is not installed"
        raise fault(problem, f"Install it: pip install 'helio-dagster[{_EXTRAS[package]}]'") from None


def _opened(reader: str, path: Path, table: str | None, fault: Fault, allow: Callable[[int], None]) -> Contents:
    allow(_FOR_A_BLOCK)
    if reader == "hdf5":
        from helio_dagster.archives.own.binary.hdf5 import Hdf5Contents

        return Hdf5Contents(path, fault)
    if reader == "fits":
        from helio_dagster.archives.own.binary.fits_tables import FitsContents

        return FitsContents(path, table, fault)
    if reader == "votable":
        from helio_dagster.archives.own.binary.votables import VotableContents

        return VotableContents(path, table, fault, allow)
    if reader == "excel":
        from helio_dagster.archives.own.binary.workbooks import WorkbookContents

        return WorkbookContents(path, table, fault, allow)
    from helio_dagster.archives.own.binary.classic_netcdf import ClassicContents

    return ClassicContents(path, fault)
