"""How the fields of a message are laid out as bytes."""
