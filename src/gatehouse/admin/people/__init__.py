"""People who sign in: inviting them, their roles, how they prove who they are, their sessions."""
