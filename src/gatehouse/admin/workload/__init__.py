"""Work on many decisions: how much waits, what a day brings, and many of them at once."""
