"""gatehouse health, as supervisors of containers call it."""

from gatehouse.cli.app import app
from tests.harness import Home, Server, free_port
from tests.harness.invoking import as_data, finished


def test_a_server_that_answers_is_healthy_and_ready(shared: Server) -> None:
    home = Home(shared.home.path, settings={"GATEHOUSE_PORT": str(shared.port)})
    with home.current():
        assert as_data(app, "health") == {
            "healthy": True,
            "address": f"127.0.0.1:{shared.port}/healthz",
            "said": '200 {"status":"ok"}',
        }
        assert as_data(app, "health", "--ready")["healthy"] is True


def test_nobody_there_is_exit_code_1(shared: Server) -> None:
    port = str(free_port())
    nobody = {"GATEHOUSE_PORT": port, "GATEHOUSE_CONSOLE_PORT": port, "GATEHOUSE_HOST": "0.0.0.0"}
    with Home(shared.home.path, settings=nobody).current():
        for options in ([], ["--ready"], ["--console"]):
            done = finished(app, "health", *options)
            assert done.code == 1
            assert "no answer: ConnectionRefusedError" in done.out
