"""Measures Gatehouse against a bare endpoint on the same machine, in the same run, as ratios."""

import gatehouse.operations.stages  # noqa: F401  # registers the stages
