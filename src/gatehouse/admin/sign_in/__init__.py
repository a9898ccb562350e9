"""How a person proves who they are: passwords, second steps, passkeys, sign-on; sessions."""
