"""Ask planners requests with known answers, and judge what they answer. Plans nothing itself."""
