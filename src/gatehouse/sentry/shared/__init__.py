"""The memory that several servers share: what is written to the store, and how it is read."""
