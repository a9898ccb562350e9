"""Signing in by password and link: who gets in, and what attackers are told."""

from unittest import mock

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import VerifyMismatchError

from gatehouse.access.people import User
from gatehouse.access.roles import Permission, UserRole
from gatehouse.admin.audit.use_cases import lines
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import links, sessions, throttle
from gatehouse.admin.sign_in.use_cases.passwords import MOST_LENGTH, Passwords, check_new
from gatehouse.admin.sign_in.use_cases.sessions import SessionLimits, SessionOrigin
from gatehouse.admin.sign_in.use_cases.sign_in import SignIn
from gatehouse.core.errors import InvalidInput, SignInRefused, TooManyAttempts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.people.tables import ONE_TIME_TOKENS, USER_SESSIONS, USERS
from tests.admin.people.signing_in import ADA, HERE, PASSWORD, Entrance, shop_of
from tests.harness import make_account
from tests.harness.rows import each


def test_an_invited_person_chooses_a_password_and_signs_in_with_it(session: AdminSession) -> None:
    at = Entrance(session)
    account = shop_of(session)
    at.person(account, UserRole.MANAGER)
    visitor = at.visitor(at.password(" ADA@Shop.example ").token)
    assert visitor is not None
    assert (visitor.login, visitor.name) == (ADA, "Ada Lovelace")
    assert visitor.may(Permission.CONFIGURE, account)
    assert not visitor.may(Permission.ACCESS, account)
    assert visitor.role_in(make_account(session)) is None
    said = [(line.actor, line.action) for line in lines(session, None, 2)]
    assert said == [(f"user:{ADA}", "user.sign-in"), ("test", "account.create")]


@pytest.mark.parametrize("login", [ADA, "nobody@shop.example", "", "x" * 5000, "\udc80"])
def test_a_wrong_password_and_an_unknown_person_get_the_same_answer(
    at: Entrance, shop: str, login: str
) -> None:
    at.person(shop)
    with pytest.raises(SignInRefused) as refused:
        at.password(login, "not this one at all \udc80")
    assert str(refused.value) == "the e-mail address or the password is wrong"
    assert type(refused.value) is SignInRefused


def test_the_same_work_is_done_for_nobody_as_for_somebody(at: Entrance, shop: str) -> None:
    at.person(shop)
    asked = []
    for login in (ADA, "nobody@shop.example"):
        with (
            mock.patch.object(PasswordHasher, "verify", side_effect=VerifyMismatchError) as verify,
            pytest.raises(SignInRefused),
        ):
            at.password(login, "not this one at all")
        [(kept, _)] = [call.args for call in verify.call_args_list]
        asked.append(extract_parameters(kept))
    assert asked[0] == asked[1]


def test_a_token_is_new_at_each_sign_in_and_never_stored(at: Entrance, shop: str) -> None:
    first, second = at.person(shop), at.password()
    assert first.token != second.token
    with at.session.reading() as connection:
        stored = str(connection.execute(sa.select(USER_SESSIONS)).all())
    assert first.token not in stored
    assert second.token not in stored


def test_a_token_that_an_attacker_chose_is_nobodys(at: Entrance, shop: str) -> None:
    chosen = "a" * 43
    at.person(shop)
    assert at.visitor(chosen) is None
    at.password()
    assert at.visitor(chosen) is None


def test_nothing_personal_or_secret_can_be_read_in_the_rows(at: Entrance, shop: str) -> None:
    at.person(shop)
    with at.session.reading() as connection:
        for table in (USERS, USER_SESSIONS, ONE_TIME_TOKENS):
            stored = str(connection.execute(sa.select(table)).all()).casefold()
            for secret in (ADA, "lovelace", "argon2", "firefox", HERE.address):
                assert secret not in stored


class TestLimits:
    def test_a_session_that_is_not_used_ends_after_half_an_hour(
        self, at: Entrance, shop: str
    ) -> None:
        token = at.person(shop).token
        for _ in range(4):
            at.clock.move(minutes=29)
            assert at.visitor(token)
        at.clock.move(minutes=30)
        assert at.visitor(token) is None

    def test_a_session_that_is_used_ends_after_twelve_hours(self, at: Entrance, shop: str) -> None:
        token = at.person(shop).token
        for _ in range(35):
            at.clock.move(minutes=20)
            assert at.visitor(token)
        at.clock.move(minutes=20)
        assert at.visitor(token) is None

    def test_a_stolen_cookie_is_worth_nothing_in_another_network_with_the_option(
        self, sqlite_session: AdminSession, shop: str
    ) -> None:
        at = Entrance(sqlite_session, SessionLimits(same_network=True))
        token = at.person(shop).token
        assert at.visitor(token)
        assert at.visitor(token, "203.0.113.9") is None
        assert at.visitor(token, "") is None

    def test_without_the_option_a_person_may_change_networks(self, at: Entrance, shop: str) -> None:
        assert at.visitor(at.person(shop).token, "203.0.113.9")

    def test_only_the_newest_twenty_sessions_are_kept(self, at: Entrance, shop: str) -> None:
        first = at.person(shop)
        for _ in range(sessions.MOST_SESSIONS):
            at.clock.move(seconds=1)
            at.password()
        assert at.visitor(first.token) is None
        assert len(sessions.listing(at.session, first.user_id)) == sessions.MOST_SESSIONS


class TestRights:
    def test_a_lower_role_counts_at_once_and_the_token_is_renewed(
        self, at: Entrance, shop: str
    ) -> None:
        started = at.person(shop, UserRole.ADMINISTRATOR)
        [begun] = sessions.listing(at.session, started.user_id)
        at.clock.move(minutes=20)
        users.set_role(at.session, shop, ADA, UserRole.VIEWER)
        visitor = at.visitor(started.token)
        assert visitor is not None
        assert not visitor.may(Permission.PEOPLE, shop)
        assert visitor.needs_new_token
        renewed = sessions.renew(at.session, started.token)
        assert renewed is not None
        assert renewed.expires_at_ms == started.expires_at_ms
        assert at.visitor(started.token) is None
        again = at.visitor(renewed.token)
        assert again is not None
        assert not again.needs_new_token
        [kept] = sessions.listing(at.session, started.user_id)
        assert kept.created_at_ms == begun.created_at_ms
        assert not sessions.is_fresh(at.session, started.user_id, renewed.session_id)

    def test_a_role_that_was_taken_away_leaves_nothing(self, at: Entrance, shop: str) -> None:
        token = at.person(shop).token
        users.set_role(at.session, shop, ADA, None)
        visitor = at.visitor(token)
        assert visitor is not None
        assert visitor.role_in(shop) is None

    def test_the_session_of_a_disabled_person_ends_at_once(self, at: Entrance, shop: str) -> None:
        token = at.person(shop).token
        users.disable(at.session, shop, ADA)
        assert at.visitor(token) is None
        with pytest.raises(SignInRefused):
            at.password()
        users.enable(at.session, shop, ADA)
        assert at.visitor(token) is None
        assert at.visitor(at.password().token)

    def test_the_session_of_a_deleted_person_ends_at_once(self, at: Entrance, shop: str) -> None:
        token = at.person(shop).token
        users.delete(at.session, shop, ADA)
        assert at.visitor(token) is None
        assert users.listing(at.session) == []

    def test_one_session_or_all_can_be_ended(self, at: Entrance, shop: str) -> None:
        first, second, third = at.person(shop), at.password(), at.password()
        sessions.end(at.session, first.user_id, second.session_id)
        assert [bool(at.visitor(one.token)) for one in (first, second, third)] == [1, 0, 1]
        assert sessions.end_all(at.session, first.user_id, but=third.session_id) == 1
        assert [bool(at.visitor(one.token)) for one in (first, second, third)] == [0, 0, 1]


class TestLinks:
    def test_a_link_works_once(self, at: Entrance, shop: str) -> None:
        link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
        assert link is not None
        at.sign_in.by_link(link.token, HERE, PASSWORD)
        with pytest.raises(SignInRefused, match="does not work any more"):
            at.sign_in.by_link(link.token, HERE, "another password 99")
        at.password()

    def test_looking_at_a_link_does_not_use_it_up(self, at: Entrance, shop: str) -> None:
        link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
        assert link is not None
        for _ in range(2):
            shown = links.look(at.session, link.token)
            assert shown is not None
            assert (shown.kind, shown.login) == ("invitation", ADA)
        assert at.sign_in.by_link(link.token, HERE, PASSWORD)

    def test_a_link_expires(self, at: Entrance, shop: str) -> None:
        link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
        assert link is not None
        at.clock.move(hours=7 * 24)
        assert links.look(at.session, link.token) is None
        with pytest.raises(SignInRefused):
            at.sign_in.by_link(link.token, HERE, PASSWORD)

    def test_a_newer_link_ends_the_one_before(self, at: Entrance, shop: str) -> None:
        link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
        assert link is not None
        newer = users.reset(at.session, shop, ADA)
        assert links.look(at.session, link.token) is None
        assert links.look(at.session, newer.token) is not None

    def test_a_reset_ends_all_sessions_and_the_old_password(self, at: Entrance, shop: str) -> None:
        token = at.person(shop).token
        link = users.reset(at.session, shop, ADA)
        assert at.visitor(token)
        at.sign_in.by_link(link.token, HERE, "another password 99")
        assert at.visitor(token) is None
        with pytest.raises(SignInRefused):
            at.password()

    def test_a_weak_password_leaves_the_link_as_it_was(self, at: Entrance, shop: str) -> None:
        link = users.invite(at.session, shop, ADA, UserRole.VIEWER).link
        assert link is not None
        with pytest.raises(InvalidInput):
            at.sign_in.by_link(link.token, HERE, "password1234")
        assert at.sign_in.by_link(link.token, HERE, PASSWORD)


class TestThrottling:
    def _fail(self, at: Entrance, origin: SessionOrigin = HERE, login: str = ADA) -> None:
        with pytest.raises(SignInRefused) as refused:
            at.sign_in.by_password(login, "not this one at all", origin)
        assert not isinstance(refused.value, TooManyAttempts)

    def _wait(self, at: Entrance, login: str = ADA, password: str = PASSWORD) -> int:
        with pytest.raises(TooManyAttempts) as refused:
            at.password(login, password)
        return refused.value.wait_s

    @pytest.mark.parametrize("login", [ADA, "nobody@shop.example"])
    def test_waits_grow_and_are_alike_for_strangers(
        self, at: Entrance, shop: str, login: str
    ) -> None:
        at.person(shop)
        for _ in range(5):
            self._fail(at, login=login)
        for wait in (5, 10, 20, 40):
            assert self._wait(at, login) == wait
            at.clock.move(seconds=wait - 1)
            assert self._wait(at, login) == 1
            at.clock.move(seconds=1)
            self._fail(at, login=login)

    def test_nobody_is_locked_out_for_good(self, at: Entrance, shop: str) -> None:
        at.person(shop)
        for number in range(12):
            self._fail(at, SessionOrigin(address=f"192.0.2.{number}"))
            at.clock.move(seconds=throttle.LONGEST_WAIT_S)
        at.password()
        self._fail(at)
        at.password()

    def test_one_address_that_tries_many_people_has_to_wait(self, at: Entrance, shop: str) -> None:
        at.person(shop)
        for number in range(20):
            self._fail(at, login=f"p{number}@shop.example")
        assert self._wait(at) == 5
        elsewhere = SessionOrigin(address="203.0.113.9")
        assert at.sign_in.by_password(ADA, PASSWORD, elsewhere)

    def test_who_guesses_from_one_address_locks_nobody_out_elsewhere(
        self, at: Entrance, shop: str
    ) -> None:
        at.person(shop)
        for _ in range(5):
            self._fail(at)
        for _ in range(10):
            at.clock.move(seconds=self._wait(at))
            self._fail(at)
        assert self._wait(at) == throttle.LONGEST_WAIT_S
        assert at.sign_in.by_password(ADA, PASSWORD, SessionOrigin(address="203.0.113.9"))

    def test_guesses_from_many_addresses_have_to_wait_too(self, at: Entrance, shop: str) -> None:
        at.person(shop)
        for number in range(25):
            self._fail(at, SessionOrigin(address=f"192.0.2.{number}"))
        assert self._wait(at) == 5

    def test_ones_own_password_does_not_reset_the_count_of_an_address(
        self, at: Entrance, shop: str
    ) -> None:
        at.person(shop)
        for number in range(20):
            self._fail(at, login=f"p{number}@shop.example")
            if number < 19:
                at.password()
        assert self._wait(at) == 5

    def test_a_day_later_all_is_forgotten(self, at: Entrance, shop: str) -> None:
        at.person(shop)
        for _ in range(5):
            self._fail(at)
        at.clock.move(hours=25)
        for _ in range(5):
            self._fail(at)


@each(
    {
        "192.0.2.1": "192.0.2.1/32",
        "::ffff:192.0.2.1": "192.0.2.1/32",
        "2001:db8::1:2:3:4": "2001:db8::/64",
        "unix": "",
    }.items()
)
def test_addresses_are_counted_by_line(address: str, network: str) -> None:
    assert throttle.network_of(address) == network


class TestPasswords:
    @pytest.mark.parametrize(
        "password",
        ["short", "password1234", "aaaaaaaaaaaaaaaa", "ada@shop.example", "x" * (MOST_LENGTH + 1)],
    )
    def test_what_is_easily_guessed_is_refused(self, password: str) -> None:
        with pytest.raises(InvalidInput):
            check_new(password, ADA)

    def test_a_hash_of_other_parameters_is_replaced_at_the_next_sign_in(
        self, at: Entrance, shop: str
    ) -> None:
        user_id = at.person(shop).user_id
        before = _kept(at, user_id).password
        at.password()
        assert _kept(at, user_id).password == before
        dearer = Passwords(PasswordHasher(time_cost=2, memory_cost=8, parallelism=1))
        SignIn(at.session, dearer).by_password(ADA, PASSWORD, HERE)
        after = _kept(at, user_id).password
        assert after is not None
        assert "t=2" in after

    def test_the_real_parameters_are_those_of_rfc_9106(self) -> None:
        hasher = Passwords()._hasher
        used = (hasher.time_cost, hasher.memory_cost, hasher.parallelism, hasher.type.name)
        assert used == (3, 65_536, 4, "ID")


def _kept(at: Entrance, user_id: str) -> User:
    from gatehouse.admin.people.queries import users as rows

    with at.session.reading() as connection:
        return rows.get(connection, at.session.ring, user_id)
