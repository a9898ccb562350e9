"""The connectors that serve an account, and whether they work; only the operator changes them."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from gatehouse.admin.connectors.use_cases.connector_status import (
    ConnectorCondition,
    account_connectors,
)
from gatehouse.api.manage.endpoints import ManageCall, ManageEndpoint

_SCOPE: Final = "manage:connectors"


class ConnectorShown(msgspec.Struct, frozen=True, rename="camel"):
    """A connector that requests of the account can be given to."""

    function: Annotated[str, Meta(description="What it is asked for.", examples=["issuer"])]
    name: Annotated[str, Meta(description="Its name.", examples=["main-processor"])]
    state: Annotated[
        ConnectorCondition,
        Meta(description="`UP`, `DOWN`, `PARTLY` or `UNKNOWN`, over all servers.", examples=["UP"]),
    ]


class ConnectorPage(msgspec.Struct, frozen=True, rename="camel"):
    """The connectors that serve an account."""

    connectors: Annotated[
        list[ConnectorShown], Meta(description="By function, in the order in which they are asked.")
    ]


def _listing(call: ManageCall) -> ConnectorPage:
    found = account_connectors(call.session, call.account_id)
    return ConnectorPage([ConnectorShown(each.function, each.name, each.state) for each in found])


CONNECTOR_ENDPOINTS: Final = (
    ManageEndpoint(
        method="GET",
        path="/connectors",
        scope=_SCOPE,
        operation="listConnectors",
        field="connectorsResponse",
        summary="Connectors",
        about="The connectors that can serve the account, and whether they work. They belong "
        "to the installation, so that only its operator changes them.",
        answer=ConnectorPage,
        run=_listing,
    ),
)
