"""The engine: authorize, run the stages in order, close, record. Knows no stage by name."""
