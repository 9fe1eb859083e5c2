"""The home over HTTP, for programs and for the page of people: conversations, catalog, pipelines, runs and results."""
