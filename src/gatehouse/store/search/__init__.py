"""Finding decisions: the index by keyed terms, and pages of what several filters have in common."""
