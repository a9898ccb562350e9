"""The rights of a person: everything about somebody, exported or erased."""
