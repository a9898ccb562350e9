"""The trail of everything that was changed, and its verification."""
