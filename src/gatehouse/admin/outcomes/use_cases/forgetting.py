"""What erasure and retention do with outcomes, in the transaction of their caller."""

from gatehouse.admin.outcomes.queries.forgetting import (
    count_outcomes,
    delete_outcomes,
    forget_before,
    forget_person,
)

__all__ = ["count_outcomes", "delete_outcomes", "forget_before", "forget_person"]
