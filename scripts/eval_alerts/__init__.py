"""Measures how soon attacks show themselves, and how often honest traffic is taken for one."""
