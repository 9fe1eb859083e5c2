"""Times in the words of a request: dates, clocks, ranges and named times, understood whole or not at all."""
