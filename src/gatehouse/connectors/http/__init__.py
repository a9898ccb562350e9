"""HTTPS and JSON towards a party outside, as a mapping file describes it."""
