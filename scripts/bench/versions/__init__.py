"""Today's version beside an earlier one, in the same run: what a change costs before it lands."""
