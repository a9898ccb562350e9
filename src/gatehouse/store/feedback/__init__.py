"""What requests turned out to be, and how servers learn of it."""
