"""Where results come from and who to cite."""
