"""From an archive's name, `hapi:<server>`, to the server's base URL."""

from __future__ import annotations

import re
from collections.abc import Mapping

from helio_dagster.domain.addresses import address_fault
from helio_dagster.domain.did_you_mean import remedy
from helio_dagster.domain.errors import InputError

HAPI_PREFIX = "hapi:"

KNOWN_SERVERS: Mapping[str, str] = {
    "amda": "https://amda.irap.omp.eu/service/hapi",
    "calgary": "https://api.phys.ucalgary.ca/hapi",
    "cdaweb": "https://cdaweb.gsfc.nasa.gov/hapi",
    "csa": "https://csatools.esac.esa.int/HapiServer/hapi",
    "das2": "https://planet.physics.uiowa.edu/das/das2Server/hapi",
    "intermagnet": "https://imag-data.bgs.ac.uk/GIN_V1/hapi",
    "iswa": "https://iswa.gsfc.nasa.gov/hapi",
    "knmi": "https://hapi.spaceweather.knmi.nl/hapi",
    "kyoto": "https://wdc.kugi.kyoto-u.ac.jp/hapi",
    "lisird": "https://lasp.colorado.edu/lisird/hapi",
    "ncei": "https://www.ncei.noaa.gov/cloud-access/space-weather-portal/api/v1/hapi",
    "sscweb": "https://hapi-server.org/servers/SSCWeb/hapi",
    "vires": "https://vires.services/hapi",
    "wdc_bgs": "https://wdcapi.bgs.ac.uk/hapi",
}
"""Short names of public servers.

Source: `all.txt` of https://github.com/hapi-server/servers, the list that HAPI's own clients use, read in November 2026. It
gives LISIRD and SSCWeb with http. No server was asked: a full URL always serves instead.
"""

SERVER_TITLES: Mapping[str, str] = {
    "amda": "AMDA",
    "calgary": "Calgary",
    "csa": "CSA",
    "das2": "das2",
    "intermagnet": "INTERMAGNET",
    "iswa": "ISWA",
    "knmi": "KNMI",
    "kyoto": "WDC Kyoto",
    "lisird": "LISIRD",
    "ncei": "NCEI",
    "sscweb": "SSCWeb",
    "vires": "VirES",
    "wdc_bgs": "WDC Edinburgh",
}
"""How people call the servers whose data they ask for by its name; CDAWeb's are asked for without one."""

_HOST = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d{1,5})?")


def server_url(archive: str) -> str:
    """The base URL, up to and with `/hapi`, that an archive's name means.

    Parameters
    ----------
    archive
        `hapi:` and a short name of `KNOWN_SERVERS`, a host with or without a path (`hapi:example.org`, asked by https under
        `/hapi`), or a full URL (`hapi:http://127.0.0.1:8000/hapi`).

    Raises
    ------
    InputError
        It means none.
    """
    server = archive.removeprefix(HAPI_PREFIX).rstrip("/")
    if server in KNOWN_SERVERS:
        return KNOWN_SERVERS[server]
    scheme, given, place = server.rpartition("://")
    host, _, path = place.partition("/")
    is_host = _HOST.fullmatch(host) and (given or path or "." in host or ":" in host)
    url = f"{scheme or 'https'}://{host}/{path or 'hapi'}"
    if scheme not in ("", "http", "https") or not is_host or address_fault(url):
        hint = remedy(server, KNOWN_SERVERS, what="Known servers") + " A host such as example.org/hapi or a URL serves as well."
        raise InputError(f"{server[:100]!r} is not a HAPI server", where=archive[:120], hint=hint.strip())
    return url


def qualified(archive: str, dataset: str) -> str:
    """A server's dataset by one name, `hapi:vires/SW_OPER_MAGA_LR_1B`, where names of several archives stand together."""
    return f"{archive}/{dataset}"


def split_qualified(name: str) -> tuple[str, str]:
    """The archive and the id in it of a name such as `hapi:vires/SW_OPER_MAGA_LR_1B`; an empty archive for any other name.

    The archive of a URL ends with `/hapi`.
    """
    if not name.startswith(HAPI_PREFIX):
        return "", name
    server, found, rest = name.partition("/hapi/")
    if found and server.removeprefix(HAPI_PREFIX) not in KNOWN_SERVERS:
        return f"{server}/hapi", rest
    archive, _, dataset = name.partition("/")
    return archive, dataset
