"""ISO 8583 towards connectors: one connection, on which answers come in any order."""

from typing import Final

from gatehouse.connectors.iso8583.definition import FramingLayout
from gatehouse.connectors.iso8583.layout.malformed import MalformedMessage
from gatehouse.connectors.iso8583.link.framing import Framing
from gatehouse.connectors.reference_host.connection import HostAnswer, HostConnection
from gatehouse.connectors.reference_host.host import HostDecision, HostMessage, ReferenceHost
from gatehouse.connectors.reference_host.iso8583_answers import Iso8583Answers
from gatehouse.connectors.reference_host.journal import HostKind, HostOutcome

_NO_LENGTH: Final = b"\xff" * 8
_UNREADABLE: Final = HostMessage("iso8583", HostKind.UNREADABLE)


class Iso8583Connection(HostConnection):
    """Messages and answers."""

    def __init__(
        self, host: ReferenceHost, answers: Iso8583Answers, framing: FramingLayout
    ) -> None:
        super().__init__(host)
        self._answers = answers
        self._framing = Framing(framing)

    def data_received(self, data: bytes) -> None:
        """Answer the messages that are complete; what cannot be framed ends the connection."""
        try:
            bodies = self._framing.feed(data)
        except MalformedMessage:
            self._host.received(_UNREADABLE, HostDecision(HostOutcome.REFUSED))
            self.close()
            return
        for body in bodies:
            self._answer(body)

    def _answer(self, body: bytes) -> None:
        try:
            reply = self._answers.reply(body)
            is_silent = reply.decision.outcome is HostOutcome.SILENT
            data = b"" if is_silent else self._framing.frame(self._answers.pack(reply))
        except MalformedMessage:
            self._host.received(_UNREADABLE, HostDecision(HostOutcome.REFUSED))
            return
        fate = self._host.received(reply.message, reply.decision)
        if not is_silent:
            answer = HostAnswer(
                reply.message,
                reply.decision,
                data,
                lambda: self._garbage(reply.message),
                lambda: self._framing.frame(self._answers.pack(reply, wrong_stan=True)),
            )
            self.deliver(answer, fate)

    def _garbage(self, message: HostMessage) -> bytes:
        """Something in place of a message, or bytes in which not even a length can be found."""
        noise = self._host.garbage(message)
        return _NO_LENGTH + noise if noise[0] & 1 else self._framing.frame(noise)
