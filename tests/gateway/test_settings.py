"""The settings of Gateway, and what production needs of them."""

import asyncio

import pytest

from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.money import Payment
from gatehouse.gateway.port import NoGateway, Reversal
from gatehouse.settings.preflight import settings_points
from gatehouse.settings.settings import InvalidSetting, Settings, load_settings


def test_an_authorization_must_outlive_all_stages_together() -> None:
    stages = {
        "GATEHOUSE_PRECHECK_TIMEOUT_MS": "1000",
        "GATEHOUSE_IDVERIFY_TIMEOUT_MS": "1000",
        "GATEHOUSE_SENTRY_TIMEOUT_MS": "2000",
        "GATEHOUSE_GATEWAY_TIMEOUT_MS": "1000",
    }
    assert load_settings(stages | {"GATEHOUSE_AUTHORIZATION_TTL_S": "6"}).gateway == "sandbox"
    with pytest.raises(InvalidSetting, match="5000 ms that all stages together") as refused:
        load_settings(stages | {"GATEHOUSE_AUTHORIZATION_TTL_S": "5"})
    assert all(name in str(refused.value) for name in stages)


@pytest.mark.parametrize(("gateway", "ok"), [("sandbox", False), ("acquirer:make_gateway", True)])
def test_production_needs_a_real_gateway(gateway: str, ok: bool) -> None:
    points = {point.name: point for point in settings_points(Settings(gateway=gateway))}
    assert points["gateway"].ok is ok
    assert "GATEHOUSE_GATEWAY" in points["gateway"].remedy


def test_without_a_gateway_nobody_claims_that_an_earlier_payment_was_reversed() -> None:
    reversal = Reversal("req_1", Payment(5990, "USD"), "acct_1")
    with pytest.raises(ConnectorFailed):
        asyncio.run(NoGateway().reverse(reversal))
