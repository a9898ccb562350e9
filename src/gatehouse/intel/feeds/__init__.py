"""Tables of networks and addresses that are kept up to date from files."""
