"""From an archive's name to a server's URL, and what is not a name."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from helio_dagster.archives.files.cache import archive_folder
from helio_dagster.assets.asset_names import fetch_name
from helio_dagster.assets.graph import fetch_node
from helio_dagster.domain.errors import InputError, Problem
from helio_dagster.domain.grain import Grain
from helio_dagster.domain.hapi_servers import KNOWN_SERVERS, server_url
from helio_dagster.domain.pipeline import Fetch
from helio_dagster.storage.settings import Settings

NAMES = ["hapi:cdaweb", "hapi:example.org", "hapi:http://127.0.0.1:8000/hapi", "hapi:https://a-b.org/x/~y/hapi/"]


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("hapi:amda", "https://amda.irap.omp.eu/service/hapi"),
        ("hapi:example.org", "https://example.org/hapi"),
        ("hapi:example.org/service/hapi", "https://example.org/service/hapi"),
        ("hapi:127.0.0.1:8000", "https://127.0.0.1:8000/hapi"),
        ("hapi:http://127.0.0.1:8000/hapi/", "http://127.0.0.1:8000/hapi"),
        ("hapi:http://localhost/hapi", "http://localhost/hapi"),
    ],
)
def test_a_name_means_a_server(name: str, url: str) -> None:
    """A short name, a host, or a whole URL."""
    assert server_url(name) == url


@pytest.mark.parametrize("name", ["hapi:cdawep", "hapi:", "hapi:ftp://host/hapi", "hapi:http:///hapi", "hapi:a b.org"])
def test_what_means_none_is_refused(name: str) -> None:
    """With the known ones."""
    with pytest.raises(InputError, match="is not a HAPI server") as caught:
        server_url(name)
    assert "cdaweb" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "grain"),
    [
        *((name, Grain.DAILY) for name in [*NAMES, *(f"hapi:{short}" for short in KNOWN_SERVERS)]),
        *((NAMES[0], grain) for grain in Grain),
    ],
)
def test_such_a_name_is_an_archive_everywhere(name: str, grain: Grain) -> None:
    """In a pipeline, in an asset's name and back, and as one folder of the cache."""
    fetch = Fetch(archive=name, dataset="bou/best-avail/PT1M/xyzf", parameter="Field_Vector")
    asset = fetch_name(fetch, grain)
    assert asset.count("/") == (2 if grain is Grain.DAILY else 3)
    node = fetch_node(asset)
    assert node is not None
    assert node.step.fetch is not None
    assert (node.step.fetch.archive, node.files.count("/")) == (name, asset.count("/"))
    assert archive_folder(Path("cache"), name).parent == Path("cache")


@pytest.mark.parametrize(
    "name",
    [
        "hapi:http://user@host/hapi",
        "hapi:host?x=1",
        "hapi:host#x",
        "hapi:../..",
        "HAPI:cdaweb",
        "hapi:file:///etc/passwd",
        "hapi:ftp://host/hapi",
        "hapi:http://host:99999/hapi",
        "hapi:cdawep",
    ],
)
def test_other_signs_are_refused_in_a_pipeline(name: str) -> None:
    """No credentials, no queries, no way out of a folder, nothing but http: so `helio check` says it, not a run."""
    with pytest.raises(ValidationError):
        Fetch(archive=name, dataset="D", parameter="B")


def test_a_password_stands_in_no_message() -> None:
    """Of a server, of a pipeline, of the environment."""
    with pytest.raises(InputError) as refused:
        server_url("hapi:http://me:s3cret@host/hapi")
    problem = Problem("x.yaml", 3, "steps[0].fetch.archive", "'hapi:http://me:s3cret@host/hapi' is not an archive")
    with pytest.raises(InputError) as unset:
        Settings.from_environment({"HELIO_CDAWEB_URL": "http://me:s3cret@host/sp_phys/"}, Path.cwd())
    with pytest.raises(InputError) as signed:
        Settings.from_environment({"HELIO_CDAWEB_URL": "http://host/sp_phys/?token=s3cret"}, Path.cwd())
    for text in (str(refused.value), str(problem), str(unset.value), str(signed.value)):
        assert "s3cret" not in text
        assert "host" in text


@pytest.mark.parametrize("url", ["http://[::1/", "ftp://host/sp_phys/", "host", "http://h:99999/", "http://a..b/"])
def test_a_url_that_is_none_is_a_wrong_setting(url: str) -> None:
    """Exit code 2, before anything is run."""
    with pytest.raises(InputError, match="HELIO_CDAWEB_URL") as caught:
        Settings.from_environment({"HELIO_CDAWEB_URL": url}, Path.cwd())
    assert caught.value.exit_code == 2
