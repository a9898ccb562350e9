"""Learns from what requests turned out to be: examples, fits, measures, replays."""
