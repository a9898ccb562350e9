"""Gateway: sends a payment to the payment gateway, at most once, and never leaves it in doubt."""
