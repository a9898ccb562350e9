"""What can be done to any process of a run."""

import signal
import subprocess


class DisturbedProcess:
    """A process that faults happen to."""

    _process: "subprocess.Popen[bytes]"

    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def kill(self) -> None:
        """Kill it without warning."""
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Stop it where it is, with its connections open."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after a pause."""
        self._process.send_signal(signal.SIGCONT)
