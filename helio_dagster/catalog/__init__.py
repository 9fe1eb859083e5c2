"""What archives hold, answered without asking them: datasets, parameters, missions, and finding them by a scientist's words."""
