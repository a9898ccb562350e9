"""One call of a party: makes the request, signs it, bounds its time, and classes its answer."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from gatehouse.connectors.http.answers import AnswerUnusable
from gatehouse.connectors.http.asked import Asked
from gatehouse.connectors.http.client import HttpClient
from gatehouse.connectors.http.compiled import Classify, Make, Refusal
from gatehouse.connectors.http.json_paths import UnexpectedShape
from gatehouse.connectors.http.mapping import ErrorClass
from gatehouse.connectors.http.signing import RequestSigner
from gatehouse.connectors.http.wire import CallFailed, PartyAnswer
from gatehouse.core.errors import ConnectorFailed
from gatehouse.core.wording.sentences import Phrase, said_by

if TYPE_CHECKING:
    from gatehouse.connectors.http.encryption import MessageCipher

_TIME_LIMIT: Final = Phrase("connector.time_limit", "no answer within the time limit")
_GIVEN_UP: Final = Phrase("connector.given_up", "no answer came before the request was given up")
_UNUSABLE: Final = Phrase("connector.unusable", "the answer cannot be used: {why}")
_OTHER_SHAPE: Final = Phrase(
    "connector.other_shape", "the answer has another shape than the mapping says"
)
_ASKED_TO_WAIT: Final = Phrase(
    "connector.asked_to_wait", "it asked us to wait before the next request"
)
_NO_JSON: Final = Phrase("connector.no_json", "it answered {status} with a body that is not JSON")
_TRY_LATER: Final = Phrase("connector.try_later", "it answered {status}: try later{said}")
_OUR_MISTAKE: Final = Phrase("connector.our_mistake", "it answered {status}: our mistake{said}")
_NO_BODY: Final = Phrase("connector.no_body", "it answered {status} without a body")
_IN_THE_CLEAR: Final = Phrase(
    "connector.in_the_clear", "it answered {status} with a body that is not encrypted"
)

_log: Final = logging.getLogger("gatehouse.connectors")
_DECODE: Final = msgspec.json.Decoder().decode
_LONGEST_PAUSE_S: Final = 10.0
_ABOUT_ONE_REQUEST: Final = (400, 422)
"""With these a party that works refuses one request; others, such as 401, concern them all."""

T = TypeVar("T")


class CompiledCall(msgspec.Struct, frozen=True):
    """How one function is asked for."""

    make: Make
    classify: Classify
    may_repeat: bool
    """Whether the same request may be sent again; never for a payment."""
    needs_answer: bool = True
    """Whether the body of the answer is read."""


class PartyCaller:
    """Calls one party over HTTP."""

    def __init__(
        self, name: str, client: HttpClient, signer: RequestSigner | None, timeout_s: float
    ) -> None:
        self._name = name
        self._client = client
        self._signer = signer
        self._timeout_s = timeout_s
        self._not_before_s = 0.0
        self.in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.problem: str | None = None
        self.cipher: MessageCipher | None = None
        """Decrypts answers; one that is not encrypted is then not believed."""

    async def drain(self) -> None:
        """Wait until nothing is in flight, for as long as a call may take."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._timeout_s):
                await self._idle.wait()

    async def call(self, call: CompiledCall, asked: Asked, read: Callable[[Any, Asked], T]) -> T:
        """What a reader makes of the answer, or of its `Refusal`; or `ConnectorFailed`."""
        self._check_pause()
        self.in_flight += 1
        self._idle.clear()
        try:
            async with asyncio.timeout(self._timeout_s):
                answer = await self._answer(call, asked)
            found = read(self._classed(call, asked, answer), asked)
        except TimeoutError:
            sent = asked.request is not None and asked.request.sent
            raise self._failed(_TIME_LIMIT(), sent=sent) from None
        except asyncio.CancelledError:
            self.problem = _GIVEN_UP()
            raise
        except ConnectorFailed as error:
            raise self._failed(said_by(error), sent=error.sent, answered=error.answered) from None
        except AnswerUnusable as error:
            raise self._failed(_UNUSABLE(why=said_by(error)), sent=True) from None
        except UnexpectedShape:
            message = _OTHER_SHAPE()
            raise self._failed(message, sent=True) from None
        finally:
            self.in_flight -= 1
            if not self.in_flight:
                self._idle.set()
        self.problem = None
        return found

    def _check_pause(self) -> None:
        if self._not_before_s and asyncio.get_running_loop().time() < self._not_before_s:
            raise self._failed(_ASKED_TO_WAIT(), sent=False)

    async def _answer(self, call: CompiledCall, asked: Asked) -> PartyAnswer:
        answer = await self._send(call, asked)
        if answer.status != 401 or self._signer is None or not self._signer.refused(asked):
            return answer
        # Only the proof was refused, so nothing was done; a payment is not repeated even so.
        return await self._send(call, asked) if call.may_repeat else answer

    async def _send(self, call: CompiledCall, asked: Asked) -> PartyAnswer:
        """Send a request; once more when that is safe and no connection or a dead one was met."""
        try:
            return await self._send_once(call, asked)
        except CallFailed as failure:
            if not call.may_repeat or (failure.sent and not failure.was_reset):
                raise ConnectorFailed(said_by(failure), sent=failure.sent) from None
        try:
            return await self._send_once(call, asked)
        except CallFailed as failure:
            raise ConnectorFailed(said_by(failure), sent=failure.sent) from None

    async def _send_once(self, call: CompiledCall, asked: Asked) -> PartyAnswer:
        request = asked.request = call.make(asked)
        if self._signer is not None:
            await self._signer.sign(request, asked)
        return await self._client.ask(request)

    def _classed(self, call: CompiledCall, asked: Asked, answer: PartyAnswer) -> Any | Refusal:
        """The decoded answer, or what a rule for errors says of it."""
        status = answer.status
        decoded = _decoded(call, answer)
        in_the_clear = False
        if self.cipher is not None and answer.body:
            in_the_clear = not self.cipher.is_sealed(decoded)
            decoded = decoded if in_the_clear else self.cipher.open(decoded)
        refusal = call.classify(status, decoded, asked.brand)
        if refusal is not None and refusal.then is ErrorClass.RETRY:
            self._note_pause(answer)
            raise ConnectorFailed(_TRY_LATER(status=status, said=_in_brackets(refusal)))
        if refusal is not None and refusal.then is ErrorClass.MISTAKE:
            message = _OUR_MISTAKE(status=status, said=_in_brackets(refusal))
            if message != self.problem:
                _log.warning("connector %s: %s", self._name, message)
            raise ConnectorFailed(message, answered=status in _ABOUT_ONE_REQUEST)
        if refusal is None and call.needs_answer and decoded is None:
            raise ConnectorFailed(_NO_BODY(status=status))
        # Failures are believed from anyone. A health check sends and reads nothing.
        if in_the_clear and (call.needs_answer or (asked.request and asked.request.body)):
            raise ConnectorFailed(_IN_THE_CLEAR(status=status))
        return decoded if refusal is None else refusal

    def _note_pause(self, answer: PartyAnswer) -> None:
        """Do not ask again before the party wants to be asked, within reason."""
        written = answer.retry_after
        if answer.status in (429, 503) and written.isdigit():
            pause_s = min(float(written[:6]), _LONGEST_PAUSE_S)
            self._not_before_s = asyncio.get_running_loop().time() + pause_s

    def _failed(self, message: str, *, sent: bool, answered: bool = False) -> ConnectorFailed:
        if not answered:
            self.problem = message
        return ConnectorFailed(f"{self._name}: {message}", sent=sent, answered=answered)


def _decoded(call: CompiledCall, answer: PartyAnswer) -> Any:
    """The body of an answer; None where it is none and need not be read."""
    try:
        return _DECODE(answer.body) if answer.body else None
    except (msgspec.DecodeError, RecursionError):
        if call.needs_answer and 200 <= answer.status < 300:
            raise ConnectorFailed(_NO_JSON(status=answer.status)) from None
        return None


def _in_brackets(refusal: Refusal) -> str:
    """What the mapping says of a refusal, if anything."""
    return f" ({refusal.say})" if refusal.say else ""
