"""Routing: which connector is asked about a request, and which one when that fails."""
