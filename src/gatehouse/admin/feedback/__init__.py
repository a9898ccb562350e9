"""What requests turned out to be, reported one by one or by file."""
