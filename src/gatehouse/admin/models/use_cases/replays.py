"""Replay earlier requests through Sentry: what it would have said, learning as labels came in.

Nothing of a replay is recorded, and an account is only needed for its policy and its models.
"""

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from gatehouse.admin.models.use_cases.versions import learned_until, usable_scorecard
from gatehouse.connectors.sandbox.parties import SandboxAddresses
from gatehouse.core.cards.redaction import recordable
from gatehouse.core.errors import InvalidInput
from gatehouse.intel import networks
from gatehouse.intel.feeds.feeds import Feeds
from gatehouse.operations import warmup
from gatehouse.operations.installation import system_clock
from gatehouse.sentry.entities import EntityHasher
from gatehouse.sentry.found import found_inputs
from gatehouse.sentry.found.found_inputs import FoundInputs
from gatehouse.sentry.memory.local import LocalMemory
from gatehouse.sentry.policy import SentryPolicy
from gatehouse.sentry.scorecard import Scorecard, ScorecardError, load_scorecard
from gatehouse.sentry.spec import SENTRY
from gatehouse.sentry.stage import SentryStage
from gatehouse.settings.settings import Settings
from gatehouse.store.accounts import accounts
from gatehouse.store.admin.admin_session import AdminSession
from gatehouse.store.configured import models
from gatehouse.store.configured.configurations import check_versions
from gatehouse.training.extra_packages import require_extra
from gatehouse.training.replay.replay import ReplayJudge, ReplayOptions, Summary, Watcher, replay

WriteScore = Callable[[str, float], object]
"""Takes when a request came, and its confidence."""

_KEY: Final = bytes(32)
"""Nothing of a replay is kept, so there is nothing for a secret key to protect."""


def for_account(
    session: AdminSession, account_id: str, version: int | None, options: ReplayOptions
) -> ReplayOptions:
    """The options with an account's policy and model; without a version, the shipped scorecard."""
    with session.account_reading(account_id) as connection:
        policies = accounts.get(connection, account_id).policies
        model = None if version is None else models.get(connection, account_id, version)
    if model is not None:
        check_versions(session.signer, [model])
    if SENTRY.name in policies:
        policy = msgspec.convert(policies[SENTRY.name], SentryPolicy)
        options = msgspec.structs.replace(options, policy=policy)
    if found_inputs.NAME in policies:
        found = msgspec.convert(policies[found_inputs.NAME], FoundInputs)
        options = msgspec.structs.replace(options, found=found)
    if model is None:
        return options
    try:
        scorecard = usable_scorecard(model)
    except ScorecardError as error:
        reason = recordable(str(error))
        raise InvalidInput(
            f"model {version} cannot be used ({reason}); see: gatehouse sentry models"
        ) from None
    return msgspec.structs.replace(options, scorecard=scorecard, learned_until=learned_until(model))


def replay_options(
    label_delay_ms: int, window_ms: int, retrain_every_ms: int | None, seed: int
) -> ReplayOptions:
    """How a replay learns; `InvalidInput` for spans of time that do not fit together."""
    if retrain_every_ms is None:
        return ReplayOptions(label_delay_ms, window_ms=window_ms)
    if not retrain_every_ms:
        raise InvalidInput("--retrain-every must be longer than nothing, such as 7d")
    if window_ms <= label_delay_ms:
        raise InvalidInput("--window must be longer than --label-delay: nothing in it has a label")
    require_extra()
    from gatehouse.training.model_fitting import FitOptions

    return ReplayOptions(label_delay_ms, retrain_every_ms, FitOptions(seed=seed), window_ms)


def make_judge(
    settings: Settings, scorecard: Scorecard | None, *, feeds: bool, key: bytes = _KEY
) -> ReplayJudge:
    """The stage that a server with these settings runs, with an empty memory.

    `key` is what personal values are hashed with. The operator's feeds hold what was found out
    after the requests, so they are left out unless the caller asks for them.
    """
    book = Feeds(networks.load_networks(), settings.intel_dir if feeds else None, system_clock)
    book.refresh()
    memory = LocalMemory(settings.memory_entities)
    stage = SentryStage(
        book if settings.is_production else SandboxAddresses(book),
        memory,
        scorecard or load_scorecard(),
        EntityHasher(key),
        time_limit_ms=settings.sentry_timeout_ms,
    )
    return ReplayJudge(stage, memory)


def replay_requests(
    lines: Iterable[bytes],
    judge: ReplayJudge,
    write: WriteScore,
    options: ReplayOptions,
    watcher: Watcher,
) -> Summary:
    """Score the request of every line, in order; `BadLine` for one that cannot be read."""
    warmup.settle()
    return replay(
        lines, judge, lambda line, scored: write(line.at, scored.confidence), options, watcher
    )
