"""Every setting with its default and unit; the only reader of the environment."""
