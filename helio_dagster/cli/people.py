"""`helio people`: who may use the served home, each with a token of their own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Literal

import typer

from helio_dagster.cli.options import AsJson, settings_from_environment
from helio_dagster.cli.terminal import write, write_json

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits and . _ @ -, such as maria.", show_default=False)]


def list_people(as_json: AsJson = False) -> int:
    """List people with a token, what they may do, and until when."""
    from helio_dagster.resources.workbench import utc_now
    from helio_dagster.storage.people import read_people

    found, now = read_people(settings_from_environment().home), utc_now()
    if as_json:
        people = [{"name": each.name, "role": each.role, "until": each.until.isoformat()} for each in found]
        write_json({"people": people})
        return 0
    if not found:
        write("Nobody has a token of their own. `helio people add NAME` makes one.\n")
    for each in found:
        write(f"{each.name:24}{each.role:10}{'expired' if each.until <= now else 'until'} {each.until:%Y-%m-%d}\n")
    return 0


def add(
    name: Name,
    role: Annotated[
        Literal["reader", "operator"],
        typer.Option(help="A reader looks at everything; an operator also plans, approves, runs and changes schedules."),
    ] = "reader",
    days: Annotated[int, typer.Option(min=1, max=3650, help="Days until the token expires.")] = 90,
    as_json: AsJson = False,
) -> int:
    """Make a token for NAME and print it, this once. An earlier token of NAME stops working."""
    from helio_dagster.resources.workbench import utc_now
    from helio_dagster.storage.people import add_person

    home, until = settings_from_environment().home, utc_now() + timedelta(days=days)
    home.mkdir(parents=True, exist_ok=True)
    token = add_person(home, name, role, until)
    if as_json:
        write_json({"name": name, "role": role, "until": until.isoformat(), "token": token})
        return 0
    write(f"{token}\n")
    write(f"That is the token of {name}, {role} until {until:%Y-%m-%d}. It is shown only now; only its hash is kept.\n")
    write(f"Programs send it (HELIO_TOKEN). For a browser: helio serve --link --for {name} --host HOST --port PORT\n")
    return 0


def remove(name: Name) -> int:
    """Take NAME's token away; the server refuses it from the next request on."""
    from helio_dagster.storage.people import remove_person

    remove_person(settings_from_environment().home, name)
    write(f"{name} has no token any more.\n")
    return 0


people_commands: dict[str, Callable[..., int]] = {"ls": list_people, "add": add, "rm": remove}
