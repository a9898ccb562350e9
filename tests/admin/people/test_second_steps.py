"""The second step: codes of an app, which count once, and recovery codes."""

import base64
import dataclasses

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from gatehouse.admin.people.use_cases import profile, users
from gatehouse.admin.people.use_cases.demo import DEMO_LOGIN, demo_link
from gatehouse.admin.people.use_cases.profile import NewPassword, Profile
from gatehouse.admin.sign_in.use_cases import second_steps, totp
from gatehouse.admin.sign_in.use_cases.sessions import SignedIn
from gatehouse.admin.sign_in.use_cases.sign_in import SecondStep
from gatehouse.core.errors import Conflict, InvalidInput, SignInRefused, TooManyAttempts
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.people.signing_in import ADA, HERE, PASSWORD, Entrance, shop_of


class AppHolder:
    """Somebody with an authenticator app."""

    def __init__(self, session: AdminSession) -> None:
        self.at = Entrance(session)
        self.shop = shop_of(session)
        self.started = self.at.person(self.shop)
        enrolled = totp.enrol(self.at.session, self.started.user_id)
        self.uri = enrolled.uri
        self._app = TOTP(base64.b32decode(enrolled.secret), 6, SHA1(), 30)
        self.recovery = totp.confirm(
            self.at.session, self.started.user_id, enrolled.ticket, self.code()
        )
        self.at.clock.move(seconds=60)

    def code(self, seconds: float = 0) -> str:
        """What the app shows."""
        return self._app.generate(int(self.at.clock() / 1000 + seconds)).decode()

    def first_step(self) -> SecondStep:
        done = self.at.sign_in.by_password(ADA, PASSWORD, HERE)
        assert isinstance(done, SecondStep)
        return done

    def second_step(self, step: SecondStep, code: str) -> SignedIn:
        return second_steps.by_code(self.at.sign_in, step.ticket, code, HERE)


@pytest.fixture
def ada(sqlite_session: AdminSession) -> AppHolder:
    return AppHolder(sqlite_session)


def test_with_an_app_a_password_alone_signs_nobody_in(session: AdminSession) -> None:
    ada = AppHolder(session)
    step = ada.first_step()
    assert (step.totp, step.passkey) == (True, False)
    assert ada.at.visitor(step.ticket) is None
    assert ada.at.visitor(ada.second_step(step, ada.code()).token)


def test_the_app_is_told_whose_code_it_shows(ada: AppHolder) -> None:
    assert ada.uri.startswith("otpauth://totp/Gatehouse%3Aada%40shop.example?secret=")


def test_a_code_counts_once(ada: AppHolder) -> None:
    code = ada.code()
    ada.second_step(ada.first_step(), code)
    again = ada.first_step()
    with pytest.raises(SignInRefused):
        ada.second_step(again, code)
    ada.at.clock.move(seconds=30)
    assert ada.second_step(again, ada.code())


def test_an_earlier_code_than_the_last_one_is_too_late(ada: AppHolder) -> None:
    earlier, now = ada.code(-30), ada.code()
    ada.second_step(ada.first_step(), now)
    with pytest.raises(SignInRefused):
        ada.second_step(ada.first_step(), earlier)


@pytest.mark.parametrize(("seconds", "fits"), [(-60, False), (-30, True), (30, True), (60, False)])
def test_a_clock_may_be_off_by_one_step(ada: AppHolder, seconds: int, fits: bool) -> None:
    step, code = ada.first_step(), ada.code(seconds)
    if fits:
        assert ada.second_step(step, code)
        return
    with pytest.raises(SignInRefused):
        ada.second_step(step, code)


def test_a_ticket_works_once_and_for_ten_minutes(ada: AppHolder) -> None:
    step = ada.first_step()
    ada.second_step(step, ada.code())
    ada.at.clock.move(seconds=60)
    with pytest.raises(SignInRefused, match="too long"):
        ada.second_step(step, ada.code())
    late = ada.first_step()
    ada.at.clock.move(minutes=10)
    with pytest.raises(SignInRefused, match="too long"):
        ada.second_step(late, ada.code())


def test_guessing_codes_has_to_wait(ada: AppHolder) -> None:
    step = ada.first_step()
    for _ in range(5):
        with pytest.raises(SignInRefused) as wrong:
            ada.second_step(step, "12345")
        assert not isinstance(wrong.value, TooManyAttempts)
    with pytest.raises(TooManyAttempts):
        ada.second_step(ada.first_step(), ada.code())
    ada.at.clock.move(seconds=5)
    assert ada.second_step(step, ada.code())


def test_a_recovery_code_stands_in_for_the_app_once(ada: AppHolder) -> None:
    assert len(ada.recovery) == totp.RECOVERY_CODES
    typed = ada.recovery[3].upper().replace("-", " ")
    ada.second_step(ada.first_step(), typed)
    with pytest.raises(SignInRefused):
        ada.second_step(ada.first_step(), typed)
    assert users.get(ada.at.session, ada.shop, ADA).recovery_codes == totp.RECOVERY_CODES - 1


def test_new_recovery_codes_end_the_earlier_ones(ada: AppHolder) -> None:
    codes = totp.new_recovery_codes(ada.at.session, ada.started.user_id)
    with pytest.raises(SignInRefused):
        ada.second_step(ada.first_step(), ada.recovery[0])
    assert ada.second_step(ada.first_step(), codes[0])


def test_a_removed_app_is_asked_for_no_more(ada: AppHolder) -> None:
    totp.remove(ada.at.session, ada.started.user_id)
    assert ada.at.password()
    with pytest.raises(Conflict):
        totp.remove(ada.at.session, ada.started.user_id)


def test_a_reset_of_the_password_still_asks_for_the_code(ada: AppHolder) -> None:
    link = users.reset(ada.at.session, ada.shop, ADA)
    assert isinstance(ada.at.sign_in.by_link(link.token, HERE, "another words 99"), SecondStep)


def test_who_lost_the_app_gets_a_link_that_forgets_it(ada: AppHolder) -> None:
    link = users.reset(ada.at.session, ada.shop, ADA, forget_factors=True)
    assert users.get(ada.at.session, ada.shop, ADA).has_totp
    assert isinstance(ada.at.sign_in.by_link(link.token, HERE, "another words 99"), SignedIn)
    assert not users.get(ada.at.session, ada.shop, ADA).has_totp


def test_an_app_that_shows_other_codes_is_not_taken(ada: AppHolder) -> None:
    enrolled = totp.enrol(ada.at.session, ada.started.user_id)
    with pytest.raises(SignInRefused):
        totp.confirm(ada.at.session, ada.started.user_id, enrolled.ticket, "000000x")
    with pytest.raises(Conflict, match="begin again"):
        totp.confirm(ada.at.session, "usr_other", enrolled.ticket, "000000")


class TestProfile:
    def test_another_password_ends_the_other_sessions(self, sqlite_session: AdminSession) -> None:
        at = Entrance(sqlite_session)
        mine, other = at.person(shop_of(sqlite_session)), at.password()
        given = NewPassword(PASSWORD, "another words 99")
        profile.change_password(at.sign_in, mine.user_id, mine.session_id, given, HERE)
        visitor = at.visitor(mine.token)
        assert visitor is not None
        assert visitor.needs_new_token
        assert at.visitor(other.token) is None
        with pytest.raises(SignInRefused):
            profile.change_password(at.sign_in, mine.user_id, mine.session_id, given, HERE)

    def test_people_choose_name_language_and_zone(self, sqlite_session: AdminSession) -> None:
        at = Entrance(sqlite_session)
        mine = at.person(shop_of(sqlite_session))
        chosen = Profile("Ada  King", "de", "Europe/Berlin")
        profile.set_profile(at.session, mine.user_id, chosen)
        visitor = at.visitor(mine.token)
        assert visitor is not None
        shown = (visitor.name, visitor.locale, visitor.time_zone)
        assert shown == ("Ada King", "de", "Europe/Berlin")
        for wrong in (Profile("", "de"), Profile("A", "<b>"), Profile("A", "de", "Moon/Base")):
            with pytest.raises(InvalidInput):
                profile.set_profile(at.session, mine.user_id, wrong)


class TestDemo:
    def test_each_start_makes_a_link_that_signs_the_demo_administrator_in_once(
        self, sqlite_session: AdminSession
    ) -> None:
        at, account = Entrance(sqlite_session), shop_of(sqlite_session)
        first, second = demo_link(at.session, account), demo_link(at.session, account)
        for link in (first, second):
            done = at.sign_in.by_link(link.token, HERE)
            assert isinstance(done, SignedIn)
            visitor = at.visitor(done.token)
            assert visitor is not None
            assert visitor.login == DEMO_LOGIN
            with pytest.raises(SignInRefused):
                at.sign_in.by_link(link.token, HERE)

    def test_there_is_none_in_production(self, sqlite_session: AdminSession) -> None:
        at, account = Entrance(sqlite_session), shop_of(sqlite_session)
        link = demo_link(at.session, account)
        at.session.settings = dataclasses.replace(at.session.settings, environment="production")
        with pytest.raises(SignInRefused):
            at.sign_in.by_link(link.token, HERE)
        with pytest.raises(Conflict, match="production"):
            demo_link(at.session, account)
