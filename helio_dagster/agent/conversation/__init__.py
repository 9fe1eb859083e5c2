"""The stages of a conversation: clarify, plan, approve, run, repair, check, refine."""
