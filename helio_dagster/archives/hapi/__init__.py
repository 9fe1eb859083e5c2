"""HAPI, the Heliophysics API: client, archive over it, and answers for the loopback server."""
