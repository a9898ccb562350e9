"""Use cases about identity records: import, show, count, export, erase, re-encrypt."""
