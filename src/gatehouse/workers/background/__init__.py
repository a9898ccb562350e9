"""What no request waits for: what it is, the process that it runs in, and how servers see it."""
