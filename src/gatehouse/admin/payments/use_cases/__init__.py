"""What can be done with payments: those that stand, and those whose end was not known."""
