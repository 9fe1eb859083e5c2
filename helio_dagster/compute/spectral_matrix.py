"""Polarization of waves from the spectral matrix of three components, by singular value decomposition.

Sources: Santolik et al. 2003, doi:10.1029/2000RS002523 (decomposition); Samson and Olson 1980,
doi:10.1111/j.1365-246X.1980.tb04308.x (degree of polarization).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
_LINEAR_SHARE = 1e-9
"""Of the greatest singular value: what is less is rounding."""


def mean_spectral_matrix(components: Floats, *, segment: int, cadence_s: float) -> tuple[Complexes, int]:
    """Mean of conj(B_i) B_j over segments less their means, under a Hann taper, half overlapping.

    Parameters
    ----------
    components
        On one even grid, NaN where there is no sample; float64, shape (3, slot).
    segment
        Slots of a segment, even; those with a gap are left out.
    cadence_s
        Length of a slot in s.

    Returns
    -------
    tuple
        complex128, shape (frequency, 3, 3), one-sided densities in the square of the unit per Hz at k / (segment cadence), k =
        1 … segment / 2 - 1; and the number of segments.
    """
    half = segment // 2
    weights = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(segment) / segment)
    total, count = np.zeros((half - 1, 3, 3), dtype=np.complex128), 0
    for start in range(0, components.shape[1] - segment + 1, half):
        part = components[:, start : start + segment]
        if not np.isfinite(part).all():
            continue
        amplitude = np.fft.rfft((part - np.mean(part, axis=1)[:, None]) * weights, axis=1)[:, 1:-1].T
        total += np.conj(amplitude[:, :, None]) * amplitude[:, None, :]
        count += 1
    return total * (2.0 * cadence_s / (np.sum(weights**2) * max(count, 1))), count


def field_aligned_axes(field: Floats) -> Floats:
    """Rows e1, e2, e3: e3 along a field, e1 nearest to x (to y where the field is along x), shape (3, 3); NaN for no field."""
    size = float(np.linalg.norm(field))
    if not (size > 0 and np.isfinite(size)):
        return np.full((3, 3), np.nan)
    third = field / size
    second = np.cross(third, [0.0, 1.0, 0.0] if abs(third[0]) > 0.999 else [1.0, 0.0, 0.0])
    second = second / np.linalg.norm(second)
    return np.stack([np.cross(second, third), second, third])


def wave_polarization_of(matrix: Complexes, axes: Floats) -> dict[str, Floats]:
    """Polarization at each frequency.

    Parameters
    ----------
    matrix
        From `mean_spectral_matrix`.
    axes
        From `field_aligned_axes`.

    Returns
    -------
    dict
        Arrays of shape (frequency,): `power`, the trace; `degree_of_polarization`, `planarity` 0 to 1; `ellipticity` -1 to 1,
        positive for right-handed rotation about the field; `wave_normal_angle` to the field, 0 to 90 deg; `azimuth` of the wave
        normal from e1 towards e2, -180 to 180 deg. NaN without power; the wave normal also where the polarization is linear.

    Notes
    -----
    Singular values w1 >= w2 >= w3 of the real matrix (Re S; Im S), shape (6, 3): ellipticity w2 / w1, planarity 1 - sqrt(w3 /
    w1), the wave normal along the right singular vector of w3. Degree sqrt((3 tr S^2 / (tr S)^2 - 1) / 2).
    """
    power = np.trace(matrix, axis1=1, axis2=2).real
    nothing = np.full(len(power), np.nan)
    found = {"power": power, "degree_of_polarization": nothing, "planarity": nothing, "ellipticity": nothing}
    found |= {"wave_normal_angle": nothing, "azimuth": nothing}
    squares = np.sum(np.abs(matrix) ** 2, axis=(1, 2))
    has_power = (power > 0) & np.isfinite(squares)
    with np.errstate(all="ignore"):
        degree = np.sqrt(np.clip((3.0 * squares / power**2 - 1.0) / 2.0, 0.0, 1.0))
    found["degree_of_polarization"] = np.where(has_power, degree, np.nan)
    if not np.isfinite(axes).all():
        axes, is_aligned = np.eye(3), False
    else:
        is_aligned = True
    turned = axes @ np.where(has_power[:, None, None], matrix, 0.0) @ axes.T
    _, sizes, rows = np.linalg.svd(np.concatenate([turned.real, turned.imag], axis=1), full_matrices=False)
    with np.errstate(all="ignore"):
        planarity, ellipticity = 1.0 - np.sqrt(sizes[:, 2] / sizes[:, 0]), sizes[:, 1] / sizes[:, 0]
    found["planarity"] = np.where(has_power, planarity, np.nan)
    if not is_aligned:
        return found
    normal = rows[:, 2] * np.where(rows[:, 2, 2:] < 0, -1.0, 1.0)
    found["ellipticity"] = np.where(has_power, -np.sign(turned[:, 0, 1].imag) * ellipticity, np.nan)
    is_known = has_power & (sizes[:, 1] - sizes[:, 2] > _LINEAR_SHARE * sizes[:, 0])
    angle = np.degrees(np.arctan2(np.hypot(normal[:, 0], normal[:, 1]), normal[:, 2]))
    found["wave_normal_angle"] = np.where(is_known, angle, np.nan)
    found["azimuth"] = np.where(is_known, np.degrees(np.arctan2(normal[:, 1], normal[:, 0])), np.nan)
    return found
