"""Physical constants in SI units: CODATA 2022 (Mohr et al. 2025, Rev. Mod. Phys. 97, 025002) where nothing else is said.

Lengths, such as radii and the astronomical unit, are in `domain.lengths`.
"""

ELEMENTARY_CHARGE_C = 1.602176634e-19
BOLTZMANN_J_PER_K = 1.380649e-23
PROTON_MASS_KG = 1.67262192595e-27
ELECTRON_MASS_KG = 9.1093837139e-31
ALPHA_MASS_KG = 6.6446573450e-27
VACUUM_PERMEABILITY_H_PER_M = 1.25663706127e-6
ATOMIC_MASS_KG = 1.66053906892e-27
SPEED_OF_LIGHT_M_PER_S = 299_792_458.0
"""By definition of the metre."""
