"""What providers tell of payments by themselves: stored first, applied afterwards."""
