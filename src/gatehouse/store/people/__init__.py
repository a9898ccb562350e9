"""The people who sign in: their rows, sessions, one-time tokens and proposals, each sealed."""
