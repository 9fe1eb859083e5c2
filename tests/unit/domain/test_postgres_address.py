"""Addresses of a record in PostgreSQL: the ways to write one, and what is refused."""

import pytest

from helio_dagster.domain.errors import InputError
from helio_dagster.domain.postgres_address import place_of, postgres_address, sqlalchemy_address

PLAIN = "postgresql://field@db.lab:5433/helio"


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+psycopg2", "postgres"])
def test_all_ways_to_write_it_are_one_address(scheme: str) -> None:
    """libpq's, SQLAlchemy's and the short one."""
    found = postgres_address(f"{scheme}://field@db.lab:5433/helio")
    assert found == PLAIN
    assert sqlalchemy_address(found) == "postgresql+psycopg2://field@db.lab:5433/helio"


def test_none_is_no_record_in_postgresql() -> None:
    """So that the environment can undo what a file says."""
    assert postgres_address("none") is None


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://field:Sesame12@db.lab/helio",
        "postgresql://field:@db.lab/helio",
        "postgresql://db.lab/helio?user=field&password=Sesame12",
        "postgresql://db.lab/helio?sslpassword=Sesame12",
    ],
)
def test_a_password_is_refused_and_not_repeated(given: str) -> None:
    """It would be stored in dagster.yaml and shown."""
    with pytest.raises(InputError, match="holds a password") as caught:
        postgres_address(given)
    assert "PGPASSWORD" in caught.value.hint
    assert "Sesame12" not in f"{caught.value.problem}{caught.value.hint}{caught.value.where}"


@pytest.mark.parametrize(
    "given", ["helio", "mysql://db.lab/helio", "postgresql://db.lab", "postgresql://db.lab/", "postgresql://db.lab:x/helio"]
)
def test_what_is_not_such_an_address_is_refused(given: str) -> None:
    """With the setting's name and an example."""
    with pytest.raises(InputError) as caught:
        postgres_address(given)
    assert caught.value.where == "HELIO_RECORD_POSTGRES"
    assert "postgresql://host:5432/database" in caught.value.hint


def test_messages_name_database_and_host() -> None:
    """Also where the host is a socket's folder."""
    assert place_of(PLAIN) == "helio on db.lab:5433"
    assert place_of("postgresql:///helio?host=/run/postgresql") == "helio on /run/postgresql"
