"""What accounts configured, as a running server finds it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import pytest

from gatehouse.core.stage import Stage
from gatehouse.offers.setups import Builder, Setup, Setups
from gatehouse.pipeline.definition import STAGES
from gatehouse.rules.authoring import read_rule_set
from gatehouse.rules.ruleset import encode_program
from gatehouse.store import accounts, configurations
from gatehouse.store.office import Office

T = TypeVar("T")


class CountingBuilder(Builder):
    """Counts what it builds, and fails where a test wants it to."""

    def __init__(self) -> None:
        # No stage is ever run here.
        super().__init__(dict.fromkeys(STAGES, cast(Stage, None)))
        self.built: list[str] = []
        self.fails_for = ""

    def build(self, account_id: str, *given: Any) -> Setup:
        self.built.append(account_id)
        if account_id == self.fails_for:
            raise LookupError("a defect")
        return super().build(account_id, *given)


@pytest.fixture
def shops(office: Office) -> tuple[str, str]:
    with office.change() as change:
        first = accounts.create(change, "First", "USD").account_id
        second = accounts.create(change, "Second", "USD").account_id
    return first, second


def _apply(office: Office, account: str, condition: str) -> None:
    text = f"rule_set: starter\nrules:\n  - {{name: a, condition: {condition}, outcome: REVIEW}}\n"
    program = encode_program(read_rule_set(text.encode()))
    with office.change() as change:
        base = configurations.get(change.connection, account, "rules", "starter").version
        configurations.apply(change, account, "rules", "starter", text, program, base=base)


def _run(scenario: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        return await scenario()

    return asyncio.run(whole())


def test_many_who_ask_at_once_wait_for_one_reading(office: Office, shops: tuple[str, str]) -> None:
    async def scenario() -> list[str]:
        builder = CountingBuilder()
        setups = Setups(office.database, builder)
        found = await asyncio.gather(*(setups.find(shops[0]) for _ in range(20)))
        setups.stop()
        assert {id(each) for each in found} == {id(found[0])}
        assert set(found[0].pipelines) == {1, 2}
        return builder.built

    assert _run(scenario) == [shops[0]]


def test_one_account_that_cannot_be_read_does_not_hold_up_the_others(
    office: Office, shops: tuple[str, str]
) -> None:
    async def scenario() -> int:
        builder = CountingBuilder()
        setups = Setups(office.database, builder)
        for shop in shops:
            await setups.find(shop)
        work = asyncio.create_task(setups.run())
        builder.fails_for = shops[0]
        for shop in shops:
            _apply(office, shop, "ip.tor")
        setups.changed()
        for _ in range(200):
            version = (await setups.find(shops[1])).rule_sets["starter"].version
            if version == 2:
                break
            await asyncio.sleep(0.02)
        still = (await setups.find(shops[0])).rule_sets["starter"].version
        work.cancel()
        setups.stop()
        assert still == 1
        return version

    assert _run(scenario) == 2


def test_what_cannot_be_read_is_left_out_and_the_rest_serves(
    office: Office, shops: tuple[str, str]
) -> None:
    with office.change() as change:
        configurations.apply(
            change, shops[0], "rules", "newer", "rule_set: newer", '{"from": "later"}', base=None
        )

    async def scenario() -> Setup:
        setups = Setups(office.database, CountingBuilder())
        try:
            return await setups.find(shops[0])
        finally:
            setups.stop()

    found = _run(scenario)
    assert set(found.rule_sets) == {"starter"}
    assert set(found.pipelines) == {1, 2}
