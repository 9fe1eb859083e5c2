"""What a file is by its first bytes."""

from __future__ import annotations

from pathlib import Path

from helio_dagster.domain.own_files import Format

_MAGICS = (
    (b"\x89HDF\r\n\x1a\n", "hdf5", "an HDF5 or netCDF-4 file"),
    (b"CDF\x01", "classic", "a netCDF file"),
    (b"CDF\x02", "classic", "a netCDF file"),
    (b"CDF\x05", "", "a netCDF file in the CDF-5 format"),
    (b"\xcd\xf3", "cdf", "a CDF file"),
    (b"\x00\x00\xff\xff", "cdf", "a CDF file"),
    (b"SIMPLE  =", "fits", "a FITS file"),
    (b"PK\x03\x04", "excel", "a workbook or zip archive"),
    (b"\xd0\xcf\x11\xe0", "", "a workbook of an old format"),
    (b"\x1f\x8b", "", "compressed by gzip"),
    (b"<VOTABLE", "votable", "a VOTable"),
    (b"PAR1", "", "a Parquet file"),
)
_FORMATS: dict[str, Format] = {
    "hdf5": "hdf5",
    "classic": "netcdf",
    "cdf": "cdf",
    "fits": "fits",
    "excel": "excel",
    "votable": "votable",
}
_TOP_BYTES = 4096


def kind_of(path: Path) -> tuple[str, str]:
    """Which reader a file needs, empty where there is none, and what to call it in messages."""
    with path.open("rb") as file:
        top = file.read(_TOP_BYTES).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not top:
        return "", "empty"
    if top.startswith(b"<?xml"):
        return ("votable", "a VOTable") if b"<VOTABLE" in top else ("", "XML that is not a VOTable")
    return next(((reader, what) for magic, reader, what in _MAGICS if top.startswith(magic)), ("", "something else"))


def format_of(path: Path, given: Format | None) -> Format | None:
    """The format of a binary file: the given one where it is possible; None for what is not binary."""
    reader = kind_of(path)[0]
    if given == "netcdf" and reader == "hdf5":
        return given
    return _FORMATS.get(reader)
