"""A short run of the trial: servers are killed while failing receivers are told of events."""

from pathlib import Path

from scripts.webhook_delivery import run


def test_every_event_arrives_although_the_receiver_fails_and_the_server_is_killed(
    tmp_path: Path,
) -> None:
    found = run(tmp_path / "home", events=40, kills=1, measured=False)
    assert found.events >= 40
    assert found.attempts > 2 * found.events
