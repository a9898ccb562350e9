"""What happened to an account, as its programs are told."""
