"""What can be shown against a dispute, and the desk where disputes are answered."""
