"""What requests write: the single writer of a process, settlement, payments in doubt, clean-up."""
