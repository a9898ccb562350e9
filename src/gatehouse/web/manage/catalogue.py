"""All endpoints of the management API, in the order in which pages show them."""

from functools import cache

from gatehouse.web.manage.account import ACCOUNT_ENDPOINTS
from gatehouse.web.manage.billing import BILLING_ENDPOINTS
from gatehouse.web.manage.configured import configured_endpoints
from gatehouse.web.manage.connectors import CONNECTOR_ENDPOINTS
from gatehouse.web.manage.endpoints import ManageEndpoint
from gatehouse.web.manage.event_settings import EVENT_ENDPOINTS
from gatehouse.web.manage.feedback import FEEDBACK_ENDPOINTS
from gatehouse.web.manage.identities import IDENTITY_ENDPOINTS
from gatehouse.web.manage.jobs import JOB_ENDPOINTS
from gatehouse.web.manage.keys import KEY_ENDPOINTS
from gatehouse.web.manage.lists import LIST_ENDPOINTS
from gatehouse.web.manage.models import MODEL_ENDPOINTS
from gatehouse.web.manage.trials import TRIAL_ENDPOINTS
from gatehouse.web.manage.webhooks import WEBHOOK_ENDPOINTS


@cache
def all_endpoints() -> tuple[ManageEndpoint, ...]:
    """Every endpoint; a path that is written out stands before one with a name in it."""
    return (
        *TRIAL_ENDPOINTS,
        *configured_endpoints(),
        *LIST_ENDPOINTS,
        *FEEDBACK_ENDPOINTS,
        *IDENTITY_ENDPOINTS,
        *MODEL_ENDPOINTS,
        *CONNECTOR_ENDPOINTS,
        *WEBHOOK_ENDPOINTS,
        *KEY_ENDPOINTS,
        *BILLING_ENDPOINTS,
        *ACCOUNT_ENDPOINTS,
        *EVENT_ENDPOINTS,
        *JOB_ENDPOINTS,
    )
