"""Rule sets: what is decided about a request, tried before it is applied."""
