"""The outer doors: implementations of the ports that reach other parties."""
