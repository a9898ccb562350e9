"""What examples must be asked before a model learns from them: ten checks, each with figures."""
