"""The planner with a language model, behind the same Protocol as the offline one."""
