"""Backups of the data, their restoration, and copies into another database."""
