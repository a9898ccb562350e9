"""The commands of payments."""
