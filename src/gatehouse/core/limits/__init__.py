"""Bounds: of waiting, of calls at once, of what is kept in memory."""
