"""The CDAS web services of CDAWeb: client, archive over it, and a server that speaks the same."""
