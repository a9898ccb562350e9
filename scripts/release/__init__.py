"""Builds what a release consists of: packages, notes, a list of parts, and hashes of all."""
