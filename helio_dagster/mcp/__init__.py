"""The home for other agents: tools, resources and prompts of the Model Context Protocol over the same conversation and runs."""
