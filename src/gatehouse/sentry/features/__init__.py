"""The signals, one module per group; `catalogue` lists them all."""
