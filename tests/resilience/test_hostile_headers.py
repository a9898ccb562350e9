"""Headers that nobody should send, to both servers: an answer or a clean close, never a defect."""

from tests.harness import Home
from tests.resilience.hostile_headers import both_servers, send_hostile, troubles


def test_no_header_is_a_failure_of_the_api_or_of_the_console(sqlite_home: Home) -> None:
    with both_servers(sqlite_home) as (server, targets):
        for target in targets.values():
            answered = 0
            for sent in send_hostile(target, 300, seed=47):
                assert not sent.failed, sent
                answered += sent.status is not None
            # A server that closed everything would pass as well.
            assert answered > 150
        assert troubles(server.log()) == []
