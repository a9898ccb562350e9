"""What the doctor says of Sentry's memory."""

from typing import Protocol

import pytest

from gatehouse.admin.memory.worker.memory_points import memory_points
from gatehouse.settings.preflight import Point
from gatehouse.settings.settings import load_settings
from gatehouse.store.admin.admin_session import AdminSession


class Points(Protocol):
    """Reads the points about the memory."""

    def __call__(self, **settings: str) -> dict[str, Point]: ...


@pytest.fixture
def points(sqlite_session: AdminSession) -> Points:
    def read(**settings: str) -> dict[str, Point]:
        given = {f"GATEHOUSE_{name.upper()}": value for name, value in settings.items()}
        found = memory_points(load_settings(given), lambda: sqlite_session)
        return {point.name: point for point in found}

    return read


def test_one_server_on_sqlite_needs_no_shared_memory(points: Points) -> None:
    assert points() == {}


def test_servers_on_postgresql_are_reminded_that_each_remembers_for_itself(points: Points) -> None:
    [point] = points(database_url="postgresql://host/name").values()
    assert not point.ok
    assert not point.needed
    assert "GATEHOUSE_MEMORY_URL" in point.remedy


def test_a_memory_that_cannot_be_reached_is_a_point_to_mend(points: Points) -> None:
    found = points(memory_url="redis://:s3cret@127.0.0.1:1")["shared memory"]
    assert not found.ok
    assert found.needed
    assert "s3cret" not in found.found


def test_a_memory_is_looked_at_for_what_would_lose_it(points: Points, valkey: str) -> None:
    found = points(memory_url=valkey)
    assert found["shared memory"].ok
    assert found["shared memory"].found.startswith("valkey ")
    for name in ("is full", "restarts"):
        point = found[f"when the shared memory {name}"]
        assert not point.ok
        assert not point.needed
    assert found["past in the shared memory"].remedy.endswith("run: gatehouse sentry rebuild")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("redis://127.0.0.2:1", False),
        ("redis://127.0.0.1:1", True),
        ("unix:///nowhere.sock", True),
    ],
)
def test_a_memory_elsewhere_should_be_reached_encrypted(
    points: Points, url: str, safe: bool
) -> None:
    assert points(memory_url=url)["way to the shared memory"].ok is safe
