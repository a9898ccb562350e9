"""Use cases about jobs: long work that is queued, and done beside serving."""
