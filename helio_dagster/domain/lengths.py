"""The lengths that space physics counts in, in km: one value of each for the whole package.

R_E is 6371.2 km wherever it is a unit: of positions, L, models, figures. It is the radius of the International Geomagnetic
Reference Field, which the models of the magnetosphere took over. The equatorial radius of WGS 84 (6378.137 km), which some
archives mean by R_E, is 0.11 % more: bring such positions to km with the operation scale first.
"""

EARTH_RADIUS_KM = 6371.2
"""Alken et al. (2021), doi:10.1186/s40623-020-01288-x."""
SUN_RADIUS_KM = 695_700.0
"""Nominal: IAU 2015 resolution B3 (Prsa et al. 2016, doi:10.3847/0004-6256/152/2/41)."""
JUPITER_RADIUS_KM, SATURN_RADIUS_KM, MARS_RADIUS_KM = 71_492.0, 60_268.0, 3_396.19
"""At the equator, where the pressure is 1 bar for Jupiter and Saturn: Archinal et al. (2018), doi:10.1007/s10569-017-9805-5."""
AU_KM = 149_597_870.7
"""By definition: IAU 2012 resolution B2."""
