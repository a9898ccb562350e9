"""Long work that is queued, and done beside serving."""
