"""Gateway: sends the payment to whoever collects it, at most once, and never leaves it in doubt."""
