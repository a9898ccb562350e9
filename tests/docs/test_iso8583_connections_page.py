"""The page about connections over ISO 8583 says what the options are and what they do."""

import re

from gatehouse.connectors.iso8583.card_values import authentication_values
from gatehouse.connectors.iso8583.options import Iso8583Definition
from gatehouse.connectors.iso8583.roles import Role
from gatehouse.connectors.reading import read_configuration
from gatehouse.core.cards.three_d_secure import ScaExemption, ThreeDSecure
from tests.docs.pages import ROOT, blocks

PAGE = (ROOT / "docs" / "iso8583-connections.md").read_text()


def test_the_sample_can_be_applied() -> None:
    [sample] = [block.text for block in blocks(PAGE) if block.kind == "yaml"]
    read = read_configuration(sample.encode(), lambda _name: b"")
    definition = read.configuration.connectors["acquirer"]
    assert isinstance(definition, Iso8583Definition)
    assert definition.unfit_for_production() == ()
    assert read.warnings == []


def test_the_letters_of_exemptions_are_those_that_are_sent() -> None:
    sent = {
        authentication_values(ThreeDSecure(exemption=each))[Role.EXEMPTION] for each in ScaExemption
    }
    assert set(re.findall(r"`([A-Z]{2})` \(", PAGE)) == sent
