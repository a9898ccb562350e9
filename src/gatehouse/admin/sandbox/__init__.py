"""The sandbox's demo account and its made-up past."""
