"""Tests of the demo account's past."""
