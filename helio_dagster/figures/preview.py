"""A small copy of a picture, for Dagster's event log. Pictures themselves are made in `rendering`."""

from __future__ import annotations

from io import BytesIO

PREVIEW_BYTES = 60_000
_SCALES = (0.4, 0.3, 0.2, 0.13, 0.07)
"""Of the picture's width; the first is 660 pixels for the usual 1,650."""


def small_copy(picture: bytes, *, limit_bytes: int = PREVIEW_BYTES) -> bytes:
    """A PNG in the size of a preview: as large as the limit allows, the smallest where none fits.

    Parameters
    ----------
    picture
        A PNG. It is scaled down, not drawn again: that takes milliseconds where the browser takes seconds.
    limit_bytes
        How long the copy may be.
    """
    from PIL import Image  # only where a picture was made

    content = b""
    with Image.open(BytesIO(picture)) as whole:
        opaque = whole.convert("RGB")
    for scale in _SCALES:
        size = (max(1, round(opaque.width * scale)), max(1, round(opaque.height * scale)))
        stream = BytesIO()
        opaque.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0).save(stream, "PNG")
        content = stream.getvalue()
        if len(content) <= limit_bytes:
            break
    return content
