"""What is known about addresses, and where from."""
