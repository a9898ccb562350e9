"""Reading files that people hand over: lines, CSV and JSON Lines, packed with gzip or plain."""
