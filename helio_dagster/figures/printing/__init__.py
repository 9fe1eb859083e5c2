"""Figures as files to print and to send: PNG, PDF and SVG from the same description as the page, without a browser."""
