"""Two pairs of eyes: changes that one person proposes and another approves."""
