"""What an account used, by operation, key, pipeline or tag, and what it was charged."""
