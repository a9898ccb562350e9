"""Access: accounts, API keys, scopes and limits. Decides who may call; keeps no secret text."""
