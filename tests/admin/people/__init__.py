"""Tests of people who sign in."""
