"""All endpoints of the management API, in the order in which pages show them."""

from gatehouse.api.manage.endpoints import ManageEndpoint
from gatehouse.core.subject import declared


def all_endpoints() -> tuple[ManageEndpoint, ...]:
    """Every endpoint."""
    return declared("endpoints")
