"""Tables of the Planetary Data System: labels, listings, and records that are decoded in a worker."""
