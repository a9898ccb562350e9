"""Tests of advice on authentication."""
