"""Use cases about one decision as a person inspects it: reasons, rules, habits, personal data."""
