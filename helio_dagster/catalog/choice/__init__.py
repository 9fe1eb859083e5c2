"""Which parameters of which datasets answer a question for a quantity of a mission, the best first."""
