"""Access: accounts, API keys, scopes and limits. Decides who may come in; keeps no secret text."""
