"""Passkeys: made and used by an authenticator in software."""

import base64

import pytest
import sqlalchemy as sa

from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import passkeys, totp
from gatehouse.admin.sign_in.use_cases.passkeys import NewPasskey, PasskeyPlace
from gatehouse.admin.sign_in.use_cases.sign_in import SecondStep
from gatehouse.core.errors import Conflict, GatehouseError, InvalidInput, NotFound, SignInRefused
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.people.tables import ONE_TIME_TOKENS
from tests.admin.people.signing_in import ADA, HERE, PASSWORD, Entrance, shop_of
from tests.admin.people.soft_authenticator import SoftAuthenticator

PLACE = PasskeyPlace.of("https://console.example:8443")


class KeyHolder:
    """Somebody with a passkey."""

    def __init__(self, session: AdminSession, *, counts: bool = True) -> None:
        self.at = Entrance(session)
        self.session = self.at.session
        self.shop = shop_of(session)
        self.user_id = self.at.person(self.shop).user_id
        self.device = SoftAuthenticator(PLACE.origin, counts=counts)
        asked = passkeys.begin_registration(self.session, self.user_id, PLACE)
        given = NewPasskey(self.device.make(asked.options), "Laptop")
        passkeys.register(self.session, self.user_id, asked.ticket, given, PLACE)

    def sign_in(self, place: PasskeyPlace = PLACE, second_step: str | None = None) -> str:
        asked = passkeys.begin_sign_in(self.session, place, second_step)
        answer = self.device.use(asked.options)
        return passkeys.sign_in_by(self.at.sign_in, asked.ticket, answer, PLACE, HERE).token


@pytest.fixture
def ada(sqlite_session: AdminSession) -> KeyHolder:
    return KeyHolder(sqlite_session)


def test_a_passkey_alone_signs_in(session: AdminSession) -> None:
    ada = KeyHolder(session)
    visitor = ada.at.visitor(ada.sign_in())
    assert visitor is not None
    assert visitor.login == ADA
    [kept] = passkeys.listing(ada.session, ada.user_id)
    assert (kept.name, kept.uses, kept.used_at_ms) == ("Laptop", ada.device.uses, ada.at.clock())


def test_a_passkey_is_the_second_step_after_a_password(ada: KeyHolder) -> None:
    step = ada.at.sign_in.by_password(ADA, PASSWORD, HERE)
    assert isinstance(step, SecondStep)
    assert (step.totp, step.passkey) == (False, True)
    ada.device.verifies_person = False
    assert ada.at.visitor(ada.sign_in(second_step=step.ticket))
    with pytest.raises(SignInRefused):
        ada.sign_in(second_step=step.ticket)


def test_alone_it_must_have_verified_the_person(ada: KeyHolder) -> None:
    ada.device.verifies_person = False
    with pytest.raises(SignInRefused):
        ada.sign_in()


def test_an_answer_counts_once(ada: KeyHolder) -> None:
    asked = passkeys.begin_sign_in(ada.session, PLACE)
    answer = ada.device.use(asked.options)
    passkeys.sign_in_by(ada.at.sign_in, asked.ticket, answer, PLACE, HERE)
    another = passkeys.begin_sign_in(ada.session, PLACE)
    for ticket in (asked.ticket, another.ticket):
        with pytest.raises(SignInRefused):
            passkeys.sign_in_by(ada.at.sign_in, ticket, answer, PLACE, HERE)
    ada.device.uses = 0  # Many authenticators do not count, so the challenge alone must suffice.
    with pytest.raises(SignInRefused, match="try again"):
        passkeys.sign_in_by(ada.at.sign_in, asked.ticket, answer, PLACE, HERE)


def _spellings(ticket: str) -> list[str]:
    """Other texts that a lenient reader takes for the same ticket."""
    spaced = base64.urlsafe_b64decode(ticket).replace(b":", b": ")
    return [
        f"{ticket}!",
        f"{ticket}\n",
        f"\n{ticket}",
        f"{ticket[:8]} {ticket[8:]}",
        f"{ticket}=",
        base64.urlsafe_b64encode(spaced).decode(),
    ]


def test_a_spent_challenge_signs_in_under_no_other_spelling(sqlite_session: AdminSession) -> None:
    ada = KeyHolder(sqlite_session, counts=False)
    asked = passkeys.begin_sign_in(ada.session, PLACE)
    answer = ada.device.use(asked.options)
    passkeys.sign_in_by(ada.at.sign_in, asked.ticket, answer, PLACE, HERE)
    for ticket in (asked.ticket, *_spellings(asked.ticket)):
        with pytest.raises(SignInRefused):
            passkeys.sign_in_by(ada.at.sign_in, ticket, answer, PLACE, HERE)


def test_asking_for_challenges_does_not_fill_the_database(ada: KeyHolder) -> None:
    with ada.session.reading() as connection:
        before = connection.scalar(sa.select(sa.func.count()).select_from(ONE_TIME_TOKENS))
        passkeys.begin_sign_in(ada.session, PLACE)
    with ada.session.reading() as connection:
        after = connection.scalar(sa.select(sa.func.count()).select_from(ONE_TIME_TOKENS))
    assert before == after


@pytest.mark.parametrize("ticket", ["", "x", "e30=", "\udc80", "a" * 99])
def test_a_ticket_of_another_hand_is_refused(ada: KeyHolder, ticket: str) -> None:
    answer = ada.device.use(passkeys.begin_sign_in(ada.session, PLACE).options)
    with pytest.raises(SignInRefused):
        passkeys.sign_in_by(ada.at.sign_in, ticket, answer, PLACE, HERE)


def test_a_challenge_lasts_five_minutes(ada: KeyHolder) -> None:
    asked = passkeys.begin_sign_in(ada.session, PLACE)
    ada.at.clock.move(minutes=5)
    with pytest.raises(SignInRefused, match="too long"):
        passkeys.sign_in_by(
            ada.at.sign_in, asked.ticket, ada.device.use(asked.options), PLACE, HERE
        )


def test_a_copied_key_whose_count_went_back_is_refused(ada: KeyHolder) -> None:
    ada.sign_in()
    ada.device.uses = 0
    with pytest.raises(SignInRefused):
        ada.sign_in()


def test_a_page_elsewhere_cannot_use_the_passkey(ada: KeyHolder) -> None:
    ada.device.origin = "https://console.example.evil"
    with pytest.raises(SignInRefused):
        ada.sign_in()
    ada.device.origin = PLACE.origin
    with pytest.raises(SignInRefused):
        ada.sign_in(PasskeyPlace.of("https://evil.example"))


def test_another_key_under_the_same_name_is_refused(ada: KeyHolder) -> None:
    ada.device.key = SoftAuthenticator(PLACE.origin).key
    with pytest.raises(SignInRefused):
        ada.sign_in()


@pytest.mark.parametrize("answer", ["", "{}", "[]", "nonsense", '{"id":1}', "x" * 20_000])
def test_nonsense_is_refused(ada: KeyHolder, answer: str) -> None:
    asked = passkeys.begin_sign_in(ada.session, PLACE)
    with pytest.raises(SignInRefused):
        passkeys.sign_in_by(ada.at.sign_in, asked.ticket, answer, PLACE, HERE)
    new = passkeys.begin_registration(ada.session, ada.user_id, PLACE)
    given = NewPasskey(answer, "Key")
    with pytest.raises(InvalidInput):
        passkeys.register(ada.session, ada.user_id, new.ticket, given, PLACE)


def test_nobody_registers_a_key_with_the_ticket_of_another(ada: KeyHolder) -> None:
    other = ada.at.operator().user_id
    asked = passkeys.begin_registration(ada.session, ada.user_id, PLACE)
    given = NewPasskey(SoftAuthenticator(PLACE.origin).make(asked.options), "Key")
    with pytest.raises(GatehouseError):
        passkeys.register(ada.session, other, asked.ticket, given, PLACE)


def test_a_passkey_is_registered_once(ada: KeyHolder) -> None:
    asked = passkeys.begin_registration(ada.session, ada.user_id, PLACE)
    given = NewPasskey(ada.device.make(asked.options), "Again")
    with pytest.raises(Conflict):
        passkeys.register(ada.session, ada.user_id, asked.ticket, given, PLACE)


def test_nor_with_the_same_answer_when_it_was_removed(ada: KeyHolder) -> None:
    phone = SoftAuthenticator(PLACE.origin)
    phone.credential_id = b"credential-0002-of-the-test"
    asked = passkeys.begin_registration(ada.session, ada.user_id, PLACE)
    given = NewPasskey(phone.make(asked.options), "Phone")
    kept = passkeys.register(ada.session, ada.user_id, asked.ticket, given, PLACE)
    passkeys.remove(ada.session, ada.user_id, kept.credential_id)
    with pytest.raises(SignInRefused):
        passkeys.register(ada.session, ada.user_id, asked.ticket, given, PLACE)


def test_a_removed_passkey_signs_nobody_in(ada: KeyHolder) -> None:
    [kept] = passkeys.listing(ada.session, ada.user_id)
    passkeys.remove(ada.session, ada.user_id, kept.credential_id)
    with pytest.raises(SignInRefused):
        ada.sign_in()
    with pytest.raises(NotFound):
        passkeys.remove(ada.session, ada.user_id, kept.credential_id)
    assert ada.at.password()


def test_the_passkey_of_a_disabled_person_signs_nobody_in(ada: KeyHolder) -> None:
    users.disable(ada.session, ada.shop, ADA)
    with pytest.raises(SignInRefused):
        ada.sign_in()


def test_recovery_codes_need_an_app(ada: KeyHolder) -> None:
    with pytest.raises(Conflict):
        totp.new_recovery_codes(ada.session, ada.user_id)
