"""Single sign-on against a real provider on loopback: who gets in, and which tokens are refused."""

import base64
import socket
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.hotp import HOTP
from joserfc.jwk import ECKey

from gatehouse.access.actors import Actor
from gatehouse.access.roles import PERMISSIONS, UserRole
from gatehouse.admin.people.queries import users as people
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import oidc_provider, passkeys, totp
from gatehouse.admin.sign_in.use_cases.links import LinkKind
from gatehouse.admin.sign_in.use_cases.oidc import (
    ArrivedPerson,
    ProviderAnswer,
    SingleSignOn,
    read_role,
)
from gatehouse.admin.sign_in.use_cases.passkeys import NewPasskey, PasskeyPlace
from gatehouse.core.errors import Conflict, ConnectorFailed, SettingsError, SignInRefused
from gatehouse.settings.settings import Settings, load_settings
from gatehouse.store.admin.admin_session import AdminSession
from tests.admin.people.signing_in import ADA, HERE, PASSWORD, Entrance, shop_of
from tests.admin.people.small_provider import CLIENT, SECRET, SmallProvider, small_provider
from tests.admin.people.soft_authenticator import SoftAuthenticator

PLACE = PasskeyPlace.of("https://console.example")


def _settings(provider: SmallProvider, **more: str) -> Settings:
    return load_settings(
        {
            "GATEHOUSE_OIDC_ISSUER": provider.issuer,
            "GATEHOUSE_OIDC_CLIENT_ID": CLIENT,
            "GATEHOUSE_OIDC_CLIENT_SECRET": SECRET,
            "GATEHOUSE_CONSOLE_URL": "https://console.example",
            **more,
        }
    )


class Elsewhere:
    """A console with single sign-on, and a browser that goes there and back."""

    def __init__(self, session: AdminSession, provider: SmallProvider) -> None:
        self.at = Entrance(session)
        self.shop = shop_of(session)
        self.provider = provider
        self.by_groups()

    def by_groups(self, *pairs: str) -> None:
        self.sso = SingleSignOn(
            self.at.sign_in, _settings(self.provider, GATEHOUSE_OIDC_ROLES=",".join(pairs))
        )

    def invite(self) -> None:
        users.invite(self.at.session, self.shop, ADA, UserRole.ANALYST)

    def go(self, **brought: str) -> ArrivedPerson:
        self.provider.now_s = self.at.clock() // 1000
        left = self.sso.depart("/a/x/decisions")
        code = self.provider.visit(left.url)
        arrival = ProviderAnswer(**{"state": left.state, "code": code, **brought})
        return self.sso.arrive(arrival, left.state, HERE)

    def roles(self) -> dict[str, str]:
        return dict(users.get(self.at.session, None, ADA).roles)


@pytest.fixture(scope="module")
def served() -> Iterator[SmallProvider]:
    with small_provider() as provider:
        yield provider


@pytest.fixture
def provider(served: SmallProvider) -> SmallProvider:
    served.__init__(served.issuer)  # type: ignore[misc]
    return served


@pytest.fixture
def ada(sqlite_session: AdminSession, provider: SmallProvider) -> Elsewhere:
    return Elsewhere(sqlite_session, provider)


def test_an_invited_person_signs_in_elsewhere(
    session: AdminSession, provider: SmallProvider
) -> None:
    ada = Elsewhere(session, provider)
    ada.invite()
    arrived = ada.go()
    assert arrived.next == "/a/x/decisions"
    visitor = ada.at.visitor(arrived.signed_in.token)
    assert visitor is not None
    assert (visitor.login, visitor.roles) == (ADA, {ada.shop: UserRole.ANALYST})
    asked = parse_qs(urlsplit(ada.sso.depart("/").url).query)
    assert asked["redirect_uri"] == ["https://console.example/sign-in/oidc"]
    assert asked["code_challenge_method"] == ["S256"]


def test_a_person_is_known_by_subject_when_the_address_changes(ada: Elsewhere) -> None:
    ada.invite()
    first = ada.go().signed_in
    ada.provider.person["email"] = "countess@shop.example"
    assert ada.go().signed_in.user_id == first.user_id


def test_who_used_the_invitation_of_another_is_out_when_that_person_comes(ada: Elsewhere) -> None:
    squatter = ada.at.person(ada.shop)
    arrived = ada.go()
    assert arrived.signed_in.user_id == squatter.user_id
    assert ada.at.visitor(squatter.token) is None
    with pytest.raises(SignInRefused):
        ada.at.password()


def test_another_subject_with_the_same_address_is_refused(ada: Elsewhere) -> None:
    ada.invite()
    ada.go()
    ada.provider.person["sub"] = "s-2"
    with pytest.raises(SignInRefused):
        ada.go()


@pytest.mark.parametrize("verified", [False, None, "no", 1.5])
def test_an_address_that_nobody_verified_is_nobodys(ada: Elsewhere, verified: Any) -> None:
    ada.invite()
    ada.provider.person["email_verified"] = verified
    with pytest.raises(SignInRefused):
        ada.go()


@pytest.mark.parametrize(
    ("victim", "attacker"),
    [
        ("ada@strasse.example", "ada@stra\u00dfe.example"),
        ("ada@\u03b2\u03bf\u03c3.example", "ada@\u03b2\u03bf\u03c2.example"),
        ("gross@shop.example", "gro\u00df@shop.example"),
    ],
)
def test_another_mailbox_that_only_looks_alike_is_another_person(
    ada: Elsewhere, victim: str, attacker: str
) -> None:
    users.invite(ada.at.session, ada.shop, victim, UserRole.ANALYST)
    ada.provider.person["email"] = attacker
    with pytest.raises(SignInRefused):
        ada.go()
    # The link to choose a password is mailed to the very address that was invited.
    made = users.invite(ada.at.session, ada.shop, attacker, UserRole.ANALYST)
    assert made.user.login == attacker


def test_strangers_and_disabled_people_are_refused(ada: Elsewhere) -> None:
    with pytest.raises(SignInRefused, match="ask your administrator"):
        ada.go()
    ada.invite()
    users.disable(ada.at.session, ada.shop, ADA)
    with pytest.raises(SignInRefused, match="ask your administrator"):
        ada.go()


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "somebody else"},
        {"aud": [CLIENT, "other"], "azp": "other"},
        {"exp": 1},
        {"exp": None},
        {"iat": 2**40},
        {"nonce": "another"},
        {"nonce": None},
        {"sub": ""},
        {"sub": 7},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    ada: Elsewhere, claims: dict[str, Any]
) -> None:
    ada.invite()
    ada.provider.changed = claims
    with pytest.raises(SignInRefused):
        ada.go()


def _with_another_key(provider: SmallProvider) -> None:
    provider.key = ECKey.generate_key("P-256", {"kid": "one"})


def _without_a_signature(provider: SmallProvider) -> None:
    provider.header = {"alg": "none"}


FORGERIES = [
    _with_another_key,
    _without_a_signature,
    SmallProvider.sign_with_the_clients_secret,
]


@pytest.mark.parametrize("forge", FORGERIES)
def test_a_forged_signature_is_refused(
    ada: Elsewhere, forge: Callable[[SmallProvider], None]
) -> None:
    ada.invite()
    forge(ada.provider)
    with pytest.raises(SignInRefused):
        ada.go()


def test_a_new_key_of_the_provider_is_fetched(
    ada: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.invite()
    ada.go()
    ada.provider.published = ada.provider.key = ECKey.generate_key("P-256", {"kid": "two"})
    ada.provider.header = {"alg": "ES256", "kid": "two"}
    monkeypatch.setattr(oidc_provider, "KEYS_AGAIN_S", -1)
    assert ada.go()


def test_an_answer_works_once_and_in_the_browser_that_asked(ada: Elsewhere) -> None:
    ada.invite()
    ada.provider.now_s = ada.at.clock() // 1000
    left = ada.sso.depart("/")
    arrival = ProviderAnswer(left.state, ada.provider.visit(left.url))
    other = ada.sso.depart("/")
    with pytest.raises(SignInRefused, match="another browser"):
        ada.sso.arrive(arrival, other.state, HERE)
    with pytest.raises(SignInRefused, match="another browser"):
        ada.sso.arrive(arrival, "", HERE)
    ada.sso.arrive(arrival, left.state, HERE)
    with pytest.raises(SignInRefused, match="try again"):
        ada.sso.arrive(arrival, left.state, HERE)


def test_an_answer_that_comes_late_or_from_elsewhere_is_refused(ada: Elsewhere) -> None:
    ada.invite()
    with pytest.raises(SignInRefused):
        ada.go(issuer="https://evil.example")
    with pytest.raises(SignInRefused):
        ada.go(error="access_denied")
    left = ada.sso.depart("/")
    ada.at.clock.move(minutes=10)
    with pytest.raises(SignInRefused, match="too long"):
        ada.sso.arrive(ProviderAnswer(left.state, "code-1"), left.state, HERE)


class TestGroups:
    def test_groups_make_people_and_decide_about_all_roles(self, ada: Elsewhere) -> None:
        ada.by_groups(f"fraud=analyst@{ada.shop}", "ops=operator")
        ada.provider.person["groups"] = ["fraud", "golf"]
        arrived = ada.go()
        assert ada.roles() == {ada.shop: UserRole.ANALYST}
        ada.provider.person["groups"] = ["ops"]
        ada.go()
        assert ada.roles() == {}
        visitor = ada.at.visitor(arrived.signed_in.token)
        assert visitor is not None
        assert visitor.is_operator
        assert visitor.needs_new_token

    def test_who_left_all_groups_loses_the_roles_and_stays_out(self, ada: Elsewhere) -> None:
        ada.by_groups("ops=operator")
        ada.provider.person["groups"] = ["ops"]
        arrived = ada.go()
        ada.provider.person["groups"] = []
        for _ in range(2):
            with pytest.raises(SignInRefused):
                ada.go()
        visitor = ada.at.visitor(arrived.signed_in.token)
        assert visitor is not None
        assert not visitor.is_operator

    def test_a_link_from_before_does_not_hand_over_what_groups_give(self, ada: Elsewhere) -> None:
        ada.by_groups(f"fraud=analyst@{ada.shop}", "ops=operator")
        ada.provider.person["groups"] = ["fraud"]
        ada.go()
        administrator = ada.at.session.acting_as(
            Actor.user("eve@shop.example", ada.shop, may=PERMISSIONS[UserRole.ADMINISTRATOR])
        )
        link = users.reset(administrator, ada.shop, ADA)
        ada.provider.person["groups"] = ["ops"]
        ada.go()
        assert users.get(ada.at.session, None, ADA).is_operator
        with pytest.raises(SignInRefused):
            ada.at.sign_in.by_link(link.token, HERE, PASSWORD)

    def test_a_stranger_without_a_group_is_not_made(self, ada: Elsewhere) -> None:
        ada.by_groups("ops=operator")
        with pytest.raises(SignInRefused):
            ada.go()
        assert users.listing(ada.at.session) == []

    @pytest.mark.parametrize("wrong", ["boss@acct_1", "analyst", "operator@acct_1", "analyst@"])
    def test_a_role_that_does_not_exist_is_a_wrong_setting(self, wrong: str) -> None:
        with pytest.raises(SettingsError):
            read_role(wrong)


class TestAlone:
    """Who is linked to single sign-on signs in there alone."""

    def test_an_invitation_that_was_not_used_works_no_more(self, ada: Elsewhere) -> None:
        link = users.invite(ada.at.session, ada.shop, ADA, UserRole.ANALYST).link
        assert link is not None
        ada.go()
        with pytest.raises(SignInRefused):
            ada.at.sign_in.by_link(link.token, HERE, PASSWORD)

    def test_neither_passkey_nor_app_can_be_set_up(self, ada: Elsewhere) -> None:
        ada.invite()
        user_id = ada.go().signed_in.user_id
        with pytest.raises(Conflict, match="single sign-on"):
            passkeys.begin_registration(ada.at.session, user_id, PLACE)
        with pytest.raises(Conflict, match="single sign-on"):
            totp.enrol(ada.at.session, user_id)

    def test_what_was_begun_before_is_not_finished(self, ada: Elsewhere) -> None:
        session, user_id = ada.at.session, ada.at.person(ada.shop).user_id
        asked = passkeys.begin_registration(session, user_id, PLACE)
        given = NewPasskey(SoftAuthenticator(PLACE.origin).make(asked.options), "Laptop")
        app = totp.enrol(session, user_id)
        shown = HOTP(base64.b32decode(app.secret), 6, SHA1())  # as apps do
        code = shown.generate(ada.at.clock() // 30_000).decode()
        ada.go()
        with pytest.raises(Conflict, match="single sign-on"):
            passkeys.register(session, user_id, asked.ticket, given, PLACE)
        with pytest.raises(Conflict, match="single sign-on"):
            totp.confirm(session, user_id, app.ticket, code)
        assert passkeys.listing(session, user_id) == ()
        assert not users.get(session, None, ADA).has_totp

    def test_a_password_and_a_passkey_that_are_there_all_the_same_sign_nobody_in(
        self, ada: Elsewhere
    ) -> None:
        session, user_id = ada.at.session, ada.at.person(ada.shop).user_id
        device = SoftAuthenticator(PLACE.origin)
        asked = passkeys.begin_registration(session, user_id, PLACE)
        given = NewPasskey(device.make(asked.options), "Laptop")
        passkeys.register(session, user_id, asked.ticket, given, PLACE)
        with session.change(unseen=True) as change:
            user = people.get(change.connection, change.ring, user_id)
            people.save(change, msgspec.structs.replace(user, subject="issuer s-1"))
            change.audit("test")
        asked = passkeys.begin_sign_in(session, PLACE)
        answer = device.use(asked.options)
        with pytest.raises(SignInRefused, match="the passkey was not accepted"):
            passkeys.sign_in_by(ada.at.sign_in, asked.ticket, answer, PLACE, HERE)
        with pytest.raises(SignInRefused, match="the e-mail address or the password is wrong"):
            ada.at.password()

    def test_a_reset_lets_somebody_in_until_single_sign_on_works_again(
        self, ada: Elsewhere
    ) -> None:
        ada.invite()
        before = ada.go().signed_in
        link = users.reset(ada.at.session, None, ADA)
        assert link.kind is LinkKind.RESET
        assert ada.at.visitor(before.token) is not None
        ada.at.sign_in.by_link(link.token, HERE, PASSWORD)
        assert ada.at.visitor(before.token) is None
        assert not users.get(ada.at.session, None, ADA).single_sign_on
        assert ada.at.password().user_id == before.user_id
        asked = passkeys.begin_registration(ada.at.session, before.user_id, PLACE)
        assert asked.ticket
        arrived = ada.go().signed_in
        assert arrived.user_id == before.user_id
        assert users.get(ada.at.session, None, ADA).single_sign_on
        with pytest.raises(SignInRefused):
            ada.at.password()


class TestDocument:
    @pytest.mark.parametrize(
        "changes",
        [
            {"issuer": "https://evil.example"},
            {"token_endpoint": "http://evil.example/token"},
            {"jwks_uri": 7},
            {"jwks_uri": "file://localhost/etc/keys.json"},
            {"jwks_uri": "https://["},
        ],
        ids=str,
    )
    def test_a_document_that_cannot_be_trusted_is_refused(
        self, ada: Elsewhere, changes: dict[str, Any]
    ) -> None:
        ada.provider.document_changes = changes
        with pytest.raises(ConnectorFailed):
            ada.sso.depart("/")

    def test_it_is_read_once(self, ada: Elsewhere) -> None:
        ada.sso.depart("/")
        ada.sso.depart("/")
        assert ada.provider.calls.count("/.well-known/openid-configuration") == 1

    def test_a_silent_provider_is_asked_once_and_nobody_waits_for_it(
        self, ada: Elsewhere, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(oidc_provider, "PATIENCE_S", 0.01)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            issuer = f"http://127.0.0.1:{silent.getsockname()[1]}"
            settings = _settings(ada.provider, GATEHOUSE_OIDC_ISSUER=issuer)
            sso = SingleSignOn(ada.at.sign_in, settings)
            for _ in range(3):
                with pytest.raises(ConnectorFailed, match="TimeoutError"):
                    sso.depart("/")
            with silent.accept()[0] as connection:
                assert connection.recv(3) == b"GET"
            silent.setblocking(False)
            with pytest.raises(BlockingIOError):
                silent.accept()

    def test_one_that_failed_is_asked_again_after_a_while(
        self, ada: Elsewhere, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ada.provider.document_changes = {"jwks_uri": 7}
        for _ in range(2):
            with pytest.raises(ConnectorFailed):
                ada.sso.depart("/")
        assert len(ada.provider.calls) == 1
        ada.provider.document_changes = {}
        monkeypatch.setattr(oidc_provider, "AGAIN_S", -1)
        assert ada.sso.depart("/")

    def test_without_an_issuer_there_is_no_single_sign_on(self, ada: Elsewhere) -> None:
        with pytest.raises(SettingsError):
            SingleSignOn(ada.at.sign_in, load_settings({}))
