"""Commands about decisions: records, reviews and feedback."""
