"""Addresses of servers: which can be used, and how they are shown without what is secret in them."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

_LONGEST = 2000
_USER_INFO = re.compile(r"(?<=//)[^/?#\s]{0,2000}@")
_SECRET_VALUE = re.compile(
    r"(?i)([?&;][\w.~-]{0,60}?(?:token|key|signature|sig|passw(?:or)?d|pwd|secret|auth|credential|session)[\w.~-]{0,60}=)[^&#\s'\"]+"
)


def address_fault(text: str) -> str:
    """Why a text cannot be the address of a server, in a few words without the text itself; empty where it can.

    An address may not hold a user name or password: it would be written to records, messages and files of results.
    """
    if len(text) > _LONGEST:
        return "it is too long"
    if not text.isprintable():
        return "it holds characters that no address has"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
        text.encode()
    except ValueError:
        return "its host or port cannot be read"
    if parts.scheme not in ("http", "https"):
        return "it does not begin with http:// or https://"
    if parts.username is not None:
        return "it holds a user name or password, which would end up in records and results"
    if not host or " " in host:
        return "it names no host"
    try:
        host.encode("idna")
    except UnicodeError:
        return "its host cannot be read"
    return "it is of this network's own services, where no archive is" if _is_link_local(host) else ""


def _is_link_local(host: str) -> bool:
    """Whether a host is an address such as 169.254.169.254, at which clouds give keys to their machines."""
    try:
        return ip_address(host.partition("%")[0]).is_link_local
    except ValueError:
        return False


def without_secrets(text: str) -> str:
    """A text with user names, passwords and keys left out of the addresses in it."""
    return _SECRET_VALUE.sub(r"\1…", _USER_INFO.sub("", text))
