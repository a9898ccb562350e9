"""How the benchmark finds an earlier version, and what it counts."""
