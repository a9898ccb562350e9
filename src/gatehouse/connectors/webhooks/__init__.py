"""Messages to webhooks: where they may be sent, and how."""
