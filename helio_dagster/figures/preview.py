"""A small copy of a picture, for lists and for Dagster's page."""

from __future__ import annotations

from io import BytesIO

PREVIEW_BYTES = 60_000
_SCALES = (1.0, 0.75, 0.5, 0.325, 0.176)
"""Of the width that is wanted."""


def small_copy(picture: bytes, *, width_px: int = 660, limit_bytes: int = PREVIEW_BYTES) -> bytes:
    """A PNG in the size of a preview: as large as the limit allows, the smallest where none fits.

    Parameters
    ----------
    picture
        A PNG. It is scaled down, not drawn again.
    width_px
        How wide the copy should be.
    limit_bytes
        How long the copy may be.
    """
    from PIL import Image  # only where a picture was made

    content = b""
    with Image.open(BytesIO(picture)) as whole:
        opaque = whole.convert("RGB")
    for scale in (min(1.0, width_px / opaque.width) * each for each in _SCALES):
        size = (max(1, round(opaque.width * scale)), max(1, round(opaque.height * scale)))
        stream = BytesIO()
        opaque.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0).save(stream, "PNG")
        content = stream.getvalue()
        if len(content) <= limit_bytes:
            break
    return content
