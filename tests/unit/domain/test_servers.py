"""Servers by name: what can be one, and what is said where none has the name."""

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.servers import address_of, read_servers


def test_a_server_is_given_by_name_or_address() -> None:
    """A slash at the end does not matter."""
    servers = read_servers("centre=https://centre.example/helio/  lab=http://10.0.0.5:3000")
    assert address_of("centre", servers) == "https://centre.example/helio"
    assert address_of("lab", servers) == "http://10.0.0.5:3000"
    assert address_of("http://[::1]:3000/", servers) == "http://[::1]:3000"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("centre", "the address of server centre cannot be used"),
        ("centre=ftp://centre", "does not begin with http:// or https://"),
        ("centre=http://ada:pass@centre", "user name or password"),
        ("=http://centre", "'' is not a name"),
        ("../x=http://centre", "is not a name"),
    ],
)
def test_what_is_no_server_is_refused(text: str, problem: str) -> None:
    """With the setting that says so."""
    with pytest.raises(InputError, match=problem) as caught:
        read_servers(text)
    assert caught.value.where == "HELIO_SERVERS"


def test_an_unknown_name_gets_the_nearest() -> None:
    """Or how to give a server a name, where none has one."""
    with pytest.raises(InputError, match="no server is named 'center'") as caught:
        address_of("center", {"centre": "http://centre"})
    assert "centre" in str(caught.value.hint)
    with pytest.raises(InputError) as caught:
        address_of("center", {})
    assert "[servers]" in str(caught.value.hint)
    with pytest.raises(InputError, match="is not the address of a server"):
        address_of("ftp://centre", {})
