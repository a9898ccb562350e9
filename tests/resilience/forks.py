"""The commands of a trial as forks of the loaded program."""

from typing import IO, Any

from scripts.connector_faults.processes import Commands, Process

from tests.harness.commands import fork_command, run_here


class Forks(Commands):
    """Processes that need not start Python anew."""

    def start(self, words: list[str], environ: dict[str, str], out: IO[bytes]) -> Process:
        return fork_command(words, environ, out, out)

    def run(self, words: list[str], environ: dict[str, str]) -> Any:
        done = run_here((*words, "--json"), environ)
        assert done.code == 0, done.err
        return done.json
