"""What became of payments: settled, refunded, reported as fraud, disputed."""
