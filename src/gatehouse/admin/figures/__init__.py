"""Figures over the decisions of an account, counted on its copy in columns."""
