"""A server that answers S3's listings and reads from memory, for benchmarks with more objects than moto's can list in time.

It writes nothing and checks no signature. What is correct is tested with moto's server.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.sax.saxutils import escape

_PAGE = 1000
_DATED = "2026-01-01T00:00:00.000Z"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'


@dataclass
class PlainStore:
    """Objects of one bucket, by key, and how often they were asked for."""

    bucket: str
    objects: Mapping[str, bytes]
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._keys = sorted(self.objects)
        self._tags = {key: hashlib.md5(content, usedforsecurity=False).hexdigest() for key, content in self.objects.items()}

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Handle one request."""
        query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
        key = unquote(environ["PATH_INFO"]).removeprefix(f"/{self.bucket}").lstrip("/")
        self.requests.append(environ["REQUEST_METHOD"])
        if "list-type" in query:
            content, status, tag = self._listing({name: values[0] for name, values in query.items()}).encode(), "200 OK", ""
        elif key in self.objects:
            content, status, tag = self.objects[key], "200 OK", self._tags[key]
            first = str(environ.get("HTTP_RANGE", "")).removeprefix("bytes=").partition("-")[0]
            if first:
                content, status = content[int(first) :], "206 Partial Content"
        else:
            content, status, tag = b"<Error><Code>NoSuchKey</Code></Error>", "404 Not Found", ""
        headers = [("Content-Length", str(len(content))), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")]
        start_response(status, [*headers, *([("ETag", f'"{tag}"')] if tag else [])])
        return [content]

    def _listing(self, given: Mapping[str, str]) -> str:
        prefix, delimiter = given.get("prefix", ""), given.get("delimiter", "")
        place = bisect_left(self._keys, prefix)
        if "continuation-token" in given:
            place = bisect_right(self._keys, given["continuation-token"])
        parts, folders, last = [_HEAD], set[str](), ""
        count = 0
        while place < len(self._keys) and self._keys[place].startswith(prefix) and count < _PAGE:
            last = key = self._keys[place]
            inner, found, _ = key.removeprefix(prefix).partition(delimiter) if delimiter else (key, "", "")
            if found:
                folders.add(f"{prefix}{inner}{delimiter}")
            else:
                parts.append(
                    f"<Contents><Key>{escape(key)}</Key><LastModified>{_DATED}</LastModified><ETag>&quot;{self._tags[key]}&quot;"
                    f"</ETag><Size>{len(self.objects[key])}</Size></Contents>"
                )
            place, count = place + 1, count + 1
        is_cut = place < len(self._keys) and self._keys[place].startswith(prefix)
        parts += [f"<CommonPrefixes><Prefix>{escape(each)}</Prefix></CommonPrefixes>" for each in sorted(folders)]
        more = f"<NextContinuationToken>{escape(last)}</NextContinuationToken>" if is_cut else ""
        parts.append(f"<KeyCount>{count}</KeyCount><IsTruncated>{str(is_cut).lower()}</IsTruncated>{more}</ListBucketResult>")
        return "".join(parts)


@contextmanager
def served(store: PlainStore) -> Iterator[dict[str, str]]:
    """The variables by which clients find the store, as long as the block."""
    from werkzeug.serving import WSGIRequestHandler, make_server

    quiet = type("Quiet", (WSGIRequestHandler,), {"log_request": lambda *_, **__: None})
    server = make_server("127.0.0.1", 0, store, threaded=True, request_handler=quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}
    try:
        yield {**keys, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}"}
    finally:
        server.shutdown()
        thread.join()
