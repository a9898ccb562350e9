"""The commands that serve: the API in one process or several, and the console."""
