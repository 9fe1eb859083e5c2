"""Small copies of pictures."""

from __future__ import annotations

from io import BytesIO

import numpy as np
from PIL import Image

from helio_dagster.figures.preview import PREVIEW_BYTES, small_copy


def picture(pixels: np.ndarray) -> bytes:
    """The PNG of an array of pixels."""
    stream = BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def size_of(png: bytes) -> tuple[int, int]:
    """Width and height."""
    return Image.open(BytesIO(png)).size


def test_a_preview_keeps_the_colors_and_the_shape() -> None:
    """Two fifths of the picture's width, the halves still black and white."""
    half = np.zeros((600, 1650, 3), np.uint8)
    half[300:] = 255
    small = Image.open(BytesIO(small_copy(picture(half))))
    assert small.size == (660, 240)
    assert (small.getpixel((330, 60)), small.getpixel((330, 180))) == ((0, 0, 0), (255, 255, 255))


def test_a_preview_fits_its_limit() -> None:
    """Noise does not compress: a smaller scale is taken, until it fits or is the smallest."""
    noise = picture(np.random.default_rng(1).integers(0, 256, (600, 1650, 3), np.uint8))
    roomy = small_copy(noise)
    assert len(roomy) <= PREVIEW_BYTES < len(noise)
    assert size_of(small_copy(noise, limit_bytes=len(roomy) - 1)) < size_of(roomy)
    assert size_of(small_copy(noise, limit_bytes=1)) == (116, 42)
