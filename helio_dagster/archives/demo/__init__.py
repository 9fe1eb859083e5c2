"""The synthetic solar wind of the demo archive and its CDF files."""
