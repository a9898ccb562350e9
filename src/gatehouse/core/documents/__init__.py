"""Files that people write, as YAML."""
