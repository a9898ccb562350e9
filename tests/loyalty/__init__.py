"""A function of tests' own: how loyal a customer is. Shows what a new stage takes: this folder."""
