"""docs/authentication.md is run as a reader would run it, and what it says of limits is so."""

import re
from pathlib import Path

from gatehouse.sentry.authentication.account_info import (
    AcctInfo,
    MerchantRiskIndicator,
    PriorAuthentication,
)
from gatehouse.sentry.authentication.advice import AdvisedExemption, ScaAction
from gatehouse.sentry.authentication.checklist import RiskPoint
from gatehouse.sentry.authentication.table import load_authentication_table
from tests.docs.pages import ROOT, steps
from tests.docs.walk import check_steps
from tests.harness import Server

_PAGE = (ROOT / "docs/authentication.md").read_text()


def test_the_commands_print_what_the_page_shows(checkout_at: tuple[Path, Server]) -> None:
    walk = list(steps(_PAGE))
    assert len(walk) >= 4
    check_steps(walk, *checkout_at, with_errors=True)


def test_every_advice_exemption_and_point_is_explained() -> None:
    words = [*ScaAction, *RiskPoint]
    words += [each for each in AdvisedExemption if each.value not in _OUT_OF_SCOPE]
    assert all(f"`{word.value}`" in _PAGE for word in words)


_OUT_OF_SCOPE = ("MAIL_OR_TELEPHONE", "ANONYMOUS_PREPAID")


def test_every_field_for_a_server_is_explained() -> None:
    fields = [*AcctInfo.__struct_fields__, *PriorAuthentication.__struct_fields__]
    assert all(f"`{name}`" in _PAGE for name in fields)
    assert "reorderItemsInd" in MerchantRiskIndicator.__struct_fields__


def test_the_limits_are_those_of_the_table() -> None:
    table = load_authentication_table()
    [european] = [each for each in table.regimes if each.name == "EEA"]
    low = european.low_value
    said = f"up to {low.amount} EUR while at most {low.sum} EUR, or at most five payments"
    assert said in _PAGE
    assert low.count == 5
    assert f"an effect of {table.finding_effect} or more" in _PAGE
    assert re.search(r"`table\.toml`", _PAGE)
