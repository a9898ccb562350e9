"""The functions of the service: entry points import this module, which registers each of them.

Fees, scopes and operations are listed in this order.
"""

from gatehouse.core.stages.registry import REGISTRY
from gatehouse.gateway.spec import GATEWAY
from gatehouse.idverify.spec import ID_VERIFY
from gatehouse.precheck.spec import PRE_CHECK
from gatehouse.rules.spec import RULES
from gatehouse.sentry.spec import SENTRY

for _spec in (PRE_CHECK, ID_VERIFY, SENTRY, RULES, GATEWAY):
    REGISTRY.register(_spec)
