"""Lets `python -m gatehouse` be the command."""

from gatehouse.cli import main

main()
