"""What a stage is, and what it works on."""
