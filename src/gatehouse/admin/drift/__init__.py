"""Whether an account's requests, scores, rules and labels are still what they usually are."""
