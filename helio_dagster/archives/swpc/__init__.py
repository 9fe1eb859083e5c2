"""Real-time solar wind of NOAA's Space Weather Prediction Center: what it still has, and what of it was kept by day."""
