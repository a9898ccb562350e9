"""Reading and checking the bodies of requests."""
