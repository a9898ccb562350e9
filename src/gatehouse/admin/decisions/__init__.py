"""Records of what was decided, and why."""
