"""Parts that every server of a home shares, whatever it speaks: the home for one call, and processes that outlive it."""
