"""`helio serve`: serve the home over HTTP to programs and people, without Dagster's own UI. What it shares with `helio ui`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from helio_dagster.cli.options import settings_from_environment
from helio_dagster.cli.terminal import flush, write, write_error
from helio_dagster.domain.errors import InputError

if TYPE_CHECKING:
    from helio_dagster.storage.access_token import AccessToken
    from helio_dagster.storage.settings import Settings

Port = Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 picks a free one.")]
Host = Annotated[str, typer.Option(help="Address to listen on. If other machines can reach it, clients need a token.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Also accept requests for this host name, such as a proxy's. May be repeated."),
]
ArchiveName = Annotated[str, typer.Option(help="Archive for new conversations: cdaweb, or demo (synthetic data).")]
NeedsToken = Annotated[
    bool, typer.Option("--token", help="Require the token from this machine too, for example behind a proxy.")
]


def serve(
    port: Port = 3000,
    host: Host = "127.0.0.1",
    allow_host: AllowHost = None,
    archive: ArchiveName = "cdaweb",
    offline: Annotated[bool, typer.Option("--offline", help="Plan without a language model, even if there is a key.")] = False,
    token: NeedsToken = False,
    link: Annotated[
        bool,
        typer.Option("--link", help="Print a new sign-in link for a server that requires the token, and exit."),
    ] = False,
    person: Annotated[
        str | None,
        typer.Option(
            "--for", metavar="NAME", help="With --link: the link signs in NAME of `helio people`.", show_default=False
        ),
    ] = None,
) -> int:
    """Serve the home: a page for people at /, JSON for programs at /api/v1. Ctrl-C stops it; `helio ui` adds Dagster's UI."""
    check_archive(archive)
    settings = settings_from_environment()
    from helio_dagster.resources.collector import collector_at_rest

    with collector_at_rest():
        from helio_dagster.hosting.served_home import ServedHome
        from helio_dagster.serve.serving import Listening, url_of
        from helio_dagster.serve.serving import serve as run

    if person is not None and not link:
        raise InputError("--for goes with --link", hint=f"helio serve --link --for {person}")
    if link:
        write(entry_link(settings, url_of(host, port), person or "") + "\n")
        return 0
    filled = {**os.environ, **settings.to_environment()}
    site = ServedHome(settings, filled, Path.cwd(), archive, surroundings=dict(os.environ))
    with Listening.at(host, port, allow_host or ()) as listening:
        needed = needed_token(settings, host, is_wanted=token)

        def ready(url: str) -> None:
            write(f"{url}  (home {settings.home}; Ctrl-C stops)\nFor programs: {url}/api/v1/openapi.json\n")
            tell_token(settings, needed, url)
            flush()

        run(site, listening, is_offline=offline, token=needed, ready=ready)
    write_error("Stopped. Turns and runs in progress continue.\n")
    return 0


def check_archive(archive: str) -> None:
    """Refuse an archive that nothing can be planned with; raises InputError."""
    if archive not in ("cdaweb", "demo"):
        raise InputError(f"there is no archive {archive!r} to plan with", hint="Give cdaweb or demo.")


def needed_token(settings: Settings, host: str, *, is_wanted: bool) -> AccessToken | None:
    """The token of a server at an address; None where only this machine reaches it, unless it is wanted there too."""
    from helio_dagster.launch.web.page_guard import is_this_machine
    from helio_dagster.resources.workbench import utc_now
    from helio_dagster.storage.access_token import open_token

    if is_this_machine(host) and not is_wanted:
        return None
    return open_token(settings.home, utc_now(), "serve")


def tell_token(settings: Settings, token: AccessToken | None, url: str) -> None:
    """Say where the token is, and how a browser enters."""
    from helio_dagster.storage.access_token import token_path

    if token is None:
        return
    write(f"To sign in with a browser (works once): {entry_link(settings, url)}\n")
    write(f"Programs send the token in {token_path(settings.home, 'serve')}, valid until {token.until:%Y-%m-%d}.\n")


def entry_link(settings: Settings, url: str, person: str = "") -> str:
    """A link by which one browser enters, as somebody with a token of their own where named; InputError if nobody has one."""
    from helio_dagster.resources.workbench import utc_now
    from helio_dagster.storage.entry_links import new_link
    from helio_dagster.storage.people import require_person

    if person:
        require_person(settings.home, person)
    return f"{url}/enter?once={new_link(settings.home, utc_now(), person)}"
