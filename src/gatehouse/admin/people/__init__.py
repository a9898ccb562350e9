"""People who sign in to the console: their roles, their profile, their searches."""
