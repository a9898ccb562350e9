"""Lets every test of the project, those of the Python client too, be run in several processes."""

pytest_plugins = ["tests.parallel"]
