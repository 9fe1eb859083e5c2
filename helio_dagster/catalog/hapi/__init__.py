"""Snapshots of what HAPI servers list: made from a server or from an index of one, searched without a network."""
