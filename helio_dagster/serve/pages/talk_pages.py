"""The page of a conversation. What is said and what happens goes through the JSON interface; here is only its frame."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pygments.lexers import PythonLexer, YamlLexer
from pygments.token import STANDARD_TYPES, _TokenType
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse

from helio_dagster.agent.session import parse_session
from helio_dagster.domain.errors import InputError
from helio_dagster.resources.home_sessions import open_sessions
from helio_dagster.serve.pages.page_home import PageHome
from helio_dagster.serve.pages.rendering import LONGEST_CODE, page
from helio_dagster.serve.refusals import Missing

MOST_BYTES = 4 * LONGEST_CODE + 1000
_LONGEST_MESSAGE = 4000
_ARCHIVES = {"cdaweb": "CDAWeb", "demo": "demo (synthetic data)"}
_EXAMPLES = (
    "ACE magnetic field and solar wind speed for 2003-10-29",
    "OMNI Dst and Kp for the Halloween storm",
    "Ten-minute means of the Wind magnetic field magnitude, 1 to 5 May 2024",
    "What is plasma beta?",
)


class Code(BaseModel):
    """Code to be highlighted."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(max_length=LONGEST_CODE)
    language: Literal["python", "yaml"]


def talk(site: PageHome, request: Request) -> HTMLResponse:
    """A new conversation, with words that wait to be sent; or the one of the address."""
    session_id = str(request.path_params.get("id", ""))
    given = request.query_params.get("archive", "")
    content = {
        "id": session_id,
        "has_dagster": site.has_dagster,
        "say": request.query_params.get("say", "")[:_LONGEST_MESSAGE],
        "archives": _ARCHIVES,
        "archive": given if given in _ARCHIVES else site.archive,
        "examples": _EXAMPLES,
    }
    title = "Talk"
    if session_id:
        files = open_sessions(site.settings)
        try:
            session = parse_session(files.read(session_id), where=session_id)
        except InputError as error:
            raise Missing(error.problem, hint="Begin a new conversation.") from None
        content["archive"], title = session.archive, session.title or "Talk"
    return page("talk.html", title, "talk", content, script="talk.js")


def code(_: PageHome, __: Request, content: bytes) -> JSONResponse:
    """The code in parts, each with its kind: the page colors them and makes no markup of them."""
    try:
        given = Code.model_validate_json(content)
    except ValidationError as error:
        raise InputError(f"the code cannot be shown: {error.errors()[0]['msg']}", hint="Send code and language.") from None
    except (ValueError, json.JSONDecodeError):
        raise InputError("the body is not JSON", hint="Send code and language.") from None
    return JSONResponse({"parts": list(_parts(given))})


def _parts(given: Code) -> Iterator[tuple[str, str]]:
    lexer = (PythonLexer if given.language == "python" else YamlLexer)(stripnl=False, ensurenl=False)
    for kind, text in lexer.get_tokens(given.code):
        yield _class_of(kind), text


def _class_of(kind: _TokenType) -> str:
    """The short class of a kind of token, as in the stylesheet; of its parent where it has none."""
    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return str(STANDARD_TYPES.get(kind, ""))
