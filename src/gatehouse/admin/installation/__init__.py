"""One installation: whether it is fit for production, and whether it answers."""
