"""A restored backup brings people back, and none of their sessions and links."""

from pathlib import Path

import pytest

from gatehouse.access.actors import Actor
from gatehouse.admin.backup.use_cases.backup import write_backup
from gatehouse.admin.backup.use_cases.restore import restore_backup
from gatehouse.admin.people.use_cases import users
from gatehouse.admin.sign_in.use_cases import links
from gatehouse.settings.settings import load_settings
from tests.admin.people.signing_in import ADA, Entrance, shop_of
from tests.harness import Home

BOB = Actor.operator("bob")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def test_sessions_and_links_of_a_backup_do_not_come_to_life_again(
    sqlite_home: Home, copy: Path
) -> None:
    settings = load_settings(sqlite_home.environ())
    with sqlite_home.session() as session:
        at = Entrance(session)
        shop = shop_of(session)
        token = at.person(shop).token
        link = users.reset(at.session, shop, ADA)
        write_backup(settings, BOB, copy)
    restore_backup(settings, BOB, copy, replace=True)
    with sqlite_home.session() as session:
        at = Entrance(session)
        assert at.visitor(token) is None
        assert links.look(at.session, link.token) is None
        assert at.visitor(at.password().token)
