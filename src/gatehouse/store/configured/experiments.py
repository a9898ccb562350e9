"""The live experiments of an account, kept and signed like its rule sets: one is under way at most.

The first version of each is what was started, and the second one says that it has ended.
"""

from typing import Final

import msgspec
import sqlalchemy as sa

from gatehouse.core.errors import Conflict, NotFound
from gatehouse.core.events import EventName
from gatehouse.core.wording.sentences import Phrase
from gatehouse.pipeline.experiment import (
    Experiment,
    ExperimentEnd,
    decode_experiment,
    encode_experiment,
)
from gatehouse.store.admin.admin_session import Change
from gatehouse.store.configured import configurations
from gatehouse.store.configured.account_signature import check_account
from gatehouse.store.configured.configurations import (
    MOST_NAMES,
    ConfigurationKey,
    VersionContent,
    check_versions,
)
from gatehouse.store.configured.signing import Signer

KIND: Final = "experiment"
_RUNS: Final = Phrase(
    "refused.experiment_runs", "experiment {id} is under way; end it first: one runs at a time"
)
_MANY: Final = Phrase("refused.experiments_many", "an account has at most {most} experiments")
_NONE: Final = Phrase("refused.no_experiment", "no experiment {id}")
_ENDED: Final = Phrase("refused.experiment_ended", "experiment {id} has ended already")


def listing(connection: sa.Connection, signer: Signer, account_id: str) -> list[Experiment]:
    """All experiments of the account, newest first."""
    check_account(connection, signer, account_id)
    stored = configurations.active(connection, account_id, KIND)
    check_versions(signer, stored)
    found = [decode_experiment(each.program) for each in stored]
    return sorted(found, key=lambda each: each.id, reverse=True)


def get(connection: sa.Connection, signer: Signer, account_id: str, name: str) -> Experiment:
    """One experiment; or `NotFound`."""
    check_account(connection, signer, account_id)
    stored = configurations.find(connection, _key(account_id, name))
    if stored is None:
        raise NotFound(_NONE(id=name[:40]))
    check_versions(signer, [stored])
    return decode_experiment(stored.program)


def start(change: Change, account_id: str, experiment: Experiment) -> None:
    """Keep an experiment and begin it; `Conflict` while another one runs."""
    before = listing(change.connection, change.signer, account_id)
    for each in before:
        if each.is_running:
            raise Conflict(_RUNS(id=each.id))
    if len(before) >= MOST_NAMES:
        raise Conflict(_MANY(most=MOST_NAMES))
    _keep(change, account_id, experiment)
    about = {"experiment": experiment.id, "kind": experiment.kind, "percent": experiment.percent}
    change.audit("experiment.start", account_id, **about, name=experiment.name)
    change.event(EventName.EXPERIMENT_STARTED, account_id, experiment.id, about)


def end(change: Change, account_id: str, experiment_id: str, because: ExperimentEnd) -> Experiment:
    """End an experiment, so that everything gets the first arm again."""
    running = get(change.connection, change.signer, account_id, experiment_id)
    if not running.is_running:
        raise Conflict(_ENDED(id=experiment_id))
    ended = msgspec.structs.replace(running, ended_at_ms=change.now_ms, ended_because=because)
    _keep(change, account_id, ended)
    about = {"experiment": experiment_id, "because": because}
    change.audit("experiment.end", account_id, **about)
    change.event(EventName.EXPERIMENT_ENDED, account_id, experiment_id, about)
    return ended


def _keep(change: Change, account_id: str, experiment: Experiment) -> None:
    text = encode_experiment(experiment)
    key = _key(account_id, experiment.id)
    configurations.insert_version(change, key, VersionContent(text, text), None)


def _key(account_id: str, name: str) -> ConfigurationKey:
    return ConfigurationKey(account_id, KIND, name)
