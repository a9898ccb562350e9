"""How tables name the customer of a request: masked, as the page of its decision does."""

from gatehouse.admin.entities.naming import Entity, EntityType, masked
from gatehouse.admin.review_summary import ReviewedCustomer


def shown_customer(customer: ReviewedCustomer) -> str:
    """Enough to tell two customers apart, too little to know one; a dash for nobody."""
    if customer.user_id is not None:
        return masked(Entity(EntityType.USER, customer.user_id))
    return customer.email or "–"
