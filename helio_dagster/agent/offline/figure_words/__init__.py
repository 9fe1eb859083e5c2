"""How a new request wants its figure: looks, marks and shifts, taken out of it and carried out on its plan."""
