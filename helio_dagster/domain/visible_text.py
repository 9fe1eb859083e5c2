"""Make control characters in other people's text visible, before a terminal, a page or another program could obey them."""

from __future__ import annotations

import json
import re

OBEYED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and newline, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # change the direction of text
    "\u2028\u2029\ufff9-\ufffb"  # separate lines, annotate
    "\ud800-\udfff"  # bytes of a file name that are not text
    "\U000e0000-\U000e007f"  # tags: invisible letters
)
"""Characters that are not shown but change what is shown; the inside of a class of a regular expression."""
_CONTROL = re.compile(f"[{OBEYED}]")


def visible(text: str) -> str:
    r"""The text with every control character as its escape, such as `\x1b`; tabs and newlines stay."""
    return _CONTROL.sub(escape, text.replace("\r\n", "\n"))


def visible_json(text: str) -> str:
    """JSON text with every control character in JSON's own escapes; they can only occur in strings."""
    return _CONTROL.sub(lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f", text)


def escape(found: re.Match[str]) -> str:
    """A found character as its escape."""
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
