"""The operations as plans for the engine, and what accounts configured; knows nothing of HTTP."""
