"""All endpoints of the management API, in the order in which pages show them."""

from gatehouse.core.subject import declared
from gatehouse.web.manage.endpoints import ManageEndpoint


def all_endpoints() -> tuple[ManageEndpoint, ...]:
    """Every endpoint."""
    return declared("endpoints")
