"""How far an account is from the networks' programmes."""
